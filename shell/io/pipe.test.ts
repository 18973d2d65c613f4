import { expect, it } from 'vitest';
import { shellLimits } from '../limits.ts';
import { createPipe } from './pipe.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (value: string) => new TextEncoder().encode(value);

it('answers what was written, and the end once no writer is left', async () => {
  const { reader, writer } = createPipe();
  await writer.write(bytes('one '));
  await writer.write(bytes('two'));
  writer.retain();
  writer.release();
  expect(text(await reader.read(100))).toBe('one two');
  writer.release();
  expect(await reader.read(100)).toHaveLength(0);
});

it('makes a writer wait for room, and keeps the order', async () => {
  const { reader, writer } = createPipe();
  const written = writer.write(new Uint8Array(shellLimits.pipeBytes + 10).fill(1)).then(() => 'written');
  expect(await Promise.race([written, Promise.resolve('waiting')])).toBe('waiting');
  expect(await reader.read(20)).toHaveLength(20);
  expect(await written).toBe('written');
  writer.release();
  let length = 20;
  for (let read = await reader.read(9999); read.length > 0; read = await reader.read(9999))
    length += read.length;
  expect(length).toBe(shellLimits.pipeBytes + 10);
});

it('refuses writes once no reader is left, those that wait too', async () => {
  const { reader, writer } = createPipe();
  const waiting = writer.write(new Uint8Array(shellLimits.pipeBytes * 2));
  reader.release();
  await expect(waiting).rejects.toMatchObject({ code: 'EPIPE' });
  await expect(writer.write(bytes('x'))).rejects.toMatchObject({ code: 'EPIPE' });
});

it('answers first what was put back', async () => {
  const { reader, writer } = createPipe();
  await writer.write(bytes('line\nrest'));
  const read = await reader.read(100);
  reader.unread(read.subarray(5));
  expect(text(await reader.read(2))).toBe('re');
  expect(text(await reader.read(100))).toBe('st');
});

it('ends a wait when its signal is aborted, and loses nothing', async () => {
  const { reader, writer } = createPipe();
  const abort = new AbortController();
  const read = reader.read(10, abort.signal);
  abort.abort('SIGTERM');
  await expect(read).rejects.toBe('SIGTERM');
  await writer.write(bytes('later'));
  expect(text(await reader.read(10))).toBe('later');
});

it('does not mix writes that are short', async () => {
  const { reader, writer } = createPipe();
  await writer.write(new Uint8Array(shellLimits.pipeBytes - 2));
  const first = writer.write(bytes('aaaa'));
  const second = writer.write(bytes('b'));
  await reader.read(shellLimits.pipeBytes - 2);
  await Promise.all([first, second]);
  expect(['aaaab', 'baaaa']).toContain(text(await reader.read(10)));
});
