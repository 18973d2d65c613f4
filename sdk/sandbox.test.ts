import { expect, test } from 'vitest';
import { SandboxError } from '../protocol/errors.ts';
import type { SandboxBackend } from '../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import { quietSandbox } from '../test/fixtures/connection-double.ts';
import { Sandbox } from './sandbox.ts';

test('B-4 a fork of what runs that cannot be opened is not left behind', async () => {
  const deleted: string[] = [];
  const parent = quietSandbox('parent', { forkRunning: async () => ({ id: 'child' }) as SandboxInfo });
  const backend = {
    create: async () => parent,
    open: async () => {
      throw new SandboxError('machine-failed', 'It does not start');
    },
    delete: async ({ id }) => void deleted.push(id),
  } as Partial<SandboxBackend> as SandboxBackend;
  await using sandbox = await Sandbox.create({ backend });
  const forks = await sandbox.fork({ memory: true });
  expect(forks).toEqual([expect.objectContaining({ code: 'machine-failed' })]);
  expect(deleted).toEqual(['child']);
});
