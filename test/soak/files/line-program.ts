import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { SandboxError } from '../../../protocol/errors.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';

/** A program in a sandbox has ended before it answered. */
export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
}

/** A Python program that answers each line with one. It ends when it is disposed of. */
export interface LineProgram extends AsyncDisposable {
  /** @throws ProgramEnded when it has, with what it said */
  ask(line: string): Promise<string>;
}

/** Starts one in a sandbox; its code goes along as an argument, so that nothing of it is in the sandbox's files. */
export async function openLineProgram(
  sandbox: Sandbox,
  { code, args = [] }: { readonly code: string; readonly args?: readonly string[] },
): Promise<LineProgram> {
  const output = new PassThrough();
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  let errors = '';
  const command = await sandbox.commands.run(['python3', '-c', code, ...args], {
    background: true,
    stdin: true,
    onStdout: (text) => void output.write(text),
    onStderr: (text) => {
      errors = (errors + text).slice(-2_000);
    },
  });
  const ended = command.wait();
  ended.then(
    () => output.end(),
    () => output.end(),
  );
  return {
    ask: async (line) => {
      await command.sendStdin(`${line}\n`).catch((cause: unknown) => {
        if (SandboxError.from(cause).code === 'not-found')
          throw new ProgramEnded(`The program has ended: ${errors}`);
        throw cause;
      });
      const answer = await lines.next();
      if (answer.done) throw new ProgramEnded(`The program has ended: ${errors}`);
      return answer.value;
    },
    [Symbol.asyncDispose]: async () => {
      // It has ended already where the sandbox went back.
      await command.kill().catch(() => undefined);
      await ended.catch(() => undefined);
    },
  };
}
