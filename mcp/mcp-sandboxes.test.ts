import { expect, test, vi } from 'vitest';
import { shellBackend } from '../cli/shell-backend.ts';
import { SandboxError } from '../protocol/errors.ts';
import { Sandbox } from '../sdk/sandbox.ts';
import { mcpLimits } from './limits.ts';
import { McpSandboxes } from './mcp-sandboxes.ts';

async function openOne(idleMs?: number) {
  const backend = await shellBackend();
  const open = vi.spyOn(backend, 'open');
  const sandboxes = new McpSandboxes({ backend, defaultSandbox: 'default', idleMs });
  const { id } = await sandboxes.create({ signal: new AbortController().signal });
  return { backend, open, sandboxes, id };
}

test('a sandbox that its client does not use is closed after a while, and opened by the next call', async () => {
  const { open, sandboxes, id } = await openOne(20);
  await using _sandboxes = sandboxes;
  const beginning = sandboxes.beginCall();
  const opened = await sandboxes.use();
  beginning[Symbol.dispose]();
  await expect
    .poll(() => opened.info && opened.commands.run('true').catch(({ code }) => code))
    .toBe('connection-lost');
  using _call = sandboxes.beginCall();
  const again = await sandboxes.use(id);
  expect(open).toHaveBeenCalledOnce();
  expect((await again.commands.run('echo here')).stdout).toBe('here\n');
});

test('one with a command, or amid a call, stays open', async () => {
  const { open, sandboxes } = await openOne(20);
  await using _sandboxes = sandboxes;
  const beginning = sandboxes.beginCall();
  const sandbox = await sandboxes.use();
  const started = await sandboxes.processes.start(sandbox, { command: 'sleep 0.2; echo done' });
  beginning[Symbol.dispose]();
  const { output } = sandboxes.processes.get(started);
  await output.until(5_000, new AbortController().signal);
  expect(output.take().stdout).toBe('done\n');
  using _call = sandboxes.beginCall();
  await sandboxes.processes.close(started);
  expect((await sandbox.commands.run('sleep 0.2; echo on')).stdout).toBe('on\n');
  expect(open).not.toHaveBeenCalled();
});

test('one that somebody else closes is opened by the next call', async () => {
  const { open, sandboxes } = await openOne();
  await using _sandboxes = sandboxes;
  const sandbox = await sandboxes.use();
  await sandbox.connection.close();
  await expect
    .poll(async () => (await (await sandboxes.use()).commands.run('echo here')).stdout)
    .toBe('here\n');
  expect(open).toHaveBeenCalledOnce();
});

test('sandboxes that others have deleted are not counted to the client that made them', async () => {
  const { backend, sandboxes, id } = await openOne();
  await using _sandboxes = sandboxes;
  const make = () => sandboxes.create({ signal: new AbortController().signal });
  const ids = [id];
  while (ids.length < mcpLimits.madeSandboxes) ids.push((await make()).id);
  await expect(make()).rejects.toMatchObject({ code: 'limit-exceeded' });
  for (const each of ids) {
    await sandboxes.stop(each);
    await backend.delete({ id: each });
  }
  expect(sandboxes.hasMade((await make()).id)).toBe(true);
  expect(sandboxes.hasMade(id)).toBe(false);
});

test('H-4 one that does not close as it should is removed all the same', async () => {
  const { backend, sandboxes, id } = await openOne();
  await using _sandboxes = sandboxes;
  const sandbox = await sandboxes.use();
  vi.spyOn(sandbox, 'close').mockImplementation(async () => {
    await sandbox.connection.close();
    throw new SandboxError('storage-full', 'The disk is full');
  });
  await sandboxes.remove(id);
  expect(await backend.list()).toEqual([]);
});

test('one whose events cannot be followed is closed, and opened anew by the next call', async () => {
  const { open, sandboxes, id } = await openOne();
  await using _sandboxes = sandboxes;
  await sandboxes.stop(id);
  const refuse = vi.spyOn(Sandbox.prototype, 'subscribe').mockRejectedValue(new Error('No room'));
  const first = await sandboxes.use();
  await expect.poll(() => first.files.list('/').catch(({ code }) => code)).toBe('connection-lost');
  refuse.mockRestore();
  expect(await sandboxes.use()).not.toBe(first);
  expect(open).toHaveBeenCalledTimes(2);
});

test('one that was deleted by another client is removed', async () => {
  const { backend, sandboxes, id } = await openOne();
  await using _sandboxes = sandboxes;
  await sandboxes.stop(id);
  await backend.delete({ id });
  await sandboxes.remove(id);
  expect(sandboxes.hasMade(id)).toBe(false);
});

test('calls past the limit are refused until one has ended', async () => {
  const { sandboxes } = await openOne();
  await using _sandboxes = sandboxes;
  const calls = Array.from({ length: mcpLimits.calls }, () => sandboxes.beginCall());
  expect(() => sandboxes.beginCall()).toThrow(expect.objectContaining({ code: 'busy' }));
  calls[0]?.[Symbol.dispose]();
  expect(() => sandboxes.beginCall()).not.toThrow();
});
