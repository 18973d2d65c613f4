import { expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import type { ProcessHandle } from '../../protocol/sandbox/processes.ts';
import { BashProcess } from './bash-process.ts';
import { shellCommand } from './shell-script.ts';
import { newState } from './shell-state.ts';

test('S-3 B-4 a bash that got its text in part, as its machine was restored meanwhile, ends', async () => {
  const process: ProcessHandle = {
    pid: 7,
    write: async () => {
      throw new SandboxError('connection-lost', 'Cannot write to process 7: the machine was restored');
    },
    closeStdin: async () => {},
    resize: async () => {},
    kill: vi.fn(async () => {}),
  };
  const processes = { start: async () => process };
  await BashProcess.start({ processes, request: { command: shellCommand }, state: newState({}) });
  await expect.poll(() => process.kill).toHaveBeenCalled();
});
