import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxMachine } from './sandbox-machine.ts';

/** In place of the machine of a sandbox that was opened to read its history: it runs nothing and changes no files. */
export function noMachine(): SandboxMachine {
  return {
    replaced: 0,
    start: async () => undefined,
    running: async () => {
      throw new SandboxError('read-only', 'Nothing runs in the sandbox: it was opened to read its history');
    },
    sync: async () => false,
    replaceFiles: async (change) => change(),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
