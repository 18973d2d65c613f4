import { expect, test } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import { ShellSession } from './shell-session.ts';

test('H-9 a session knows that its programs do not read, and when they do again', async () => {
  const accept: (() => void)[] = [];
  const write = () => new Promise<void>((resolve) => accept.push(resolve));
  const handle = { pid: 1, write, kill: async () => undefined, resize: async () => undefined };
  const connection = { processes: { exec: async () => handle } } as unknown as SandboxConnection;
  const screen = { write: async () => undefined, ended: () => undefined };
  const session = await ShellSession.open(connection, screen, { size: { columns: 80, rows: 24 } });
  session.type('x'.repeat(limits.typedAheadCharacters));
  expect(session.isBehind).toBe(false);
  session.type('x');
  expect(session.isBehind).toBe(true);
  await expect.poll(() => accept.length).toBe(1);
  accept[0]?.();
  await expect.poll(() => session.isBehind).toBe(false);
});
