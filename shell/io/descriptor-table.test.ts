import { expect, it } from 'vitest';
import { DescriptorTable } from './descriptor-table.ts';
import { createPipe } from './pipe.ts';

it('keeps a pipe open until the last duplicate is closed', async () => {
  const { reader, writer } = createPipe();
  const table = new DescriptorTable();
  table.put(1, writer);
  table.duplicate(1, 2);
  const copy = table.clone();
  table.closeAll();
  copy.close(1);
  const ended = reader.read(1).then(() => 'ended');
  expect(await Promise.race([ended, Promise.resolve('open')])).toBe('open');
  copy.closeAll();
  expect(await ended).toBe('ended');
});

it('closes what it replaces', async () => {
  const { reader, writer } = createPipe();
  const other = createPipe();
  const table = new DescriptorTable();
  table.put(1, writer);
  table.put(1, other.writer);
  expect(await reader.read(1)).toHaveLength(0);
});

it('refuses descriptors that are not open, and too many', () => {
  const table = new DescriptorTable();
  expect(() => table.duplicate(5, 6)).toThrow('Bad file descriptor');
  expect(() => table.put(1024, createPipe().writer)).toThrow('Too many open files');
  expect(table.pick()).toBe(10);
  expect(table.pickHigh()).toBe(63);
});
