import { readFile } from 'node:fs/promises';
import type { Sandbox } from '../../../sdk/sandbox.ts';

/** programs/ticks.c, running in a sandbox; killed when disposed. */
export interface Ticking extends AsyncDisposable {
  /** Has it write its files. Resolves when they are written. */
  writeFiles(): Promise<void>;
  /** The longest time since then in which it did not run, ms. */
  longestPauseMs(): Promise<number>;
}

/** Starts `program` in `sandbox`, to write `files` files below `folder`. */
export async function startTicking(
  sandbox: Sandbox,
  { program, folder, files }: { program: string; folder: string; files: number },
): Promise<Ticking> {
  const inside = '/home/user/ticks';
  await sandbox.files.write(inside, await readFile(program), { mode: 0o755 });
  let answered = Promise.withResolvers<string>();
  const command = await sandbox.commands.run([inside, folder, String(files)], {
    background: true,
    stdin: true,
    onStdout: (text) => answered.resolve(text.trim()),
  });
  const ended = command.wait().then(({ stderr }) => {
    throw new Error(`The ticking program has ended: ${stderr}`);
  });
  ended.catch(() => undefined); // It is told of to whoever asks, and killed in the end.
  const ask = async () => {
    answered = Promise.withResolvers();
    await command.sendStdin('\n');
    return Promise.race([answered.promise, ended]);
  };
  return {
    writeFiles: async () => void (await ask()),
    longestPauseMs: async () => Number(await ask()) / 1e6,
    [Symbol.asyncDispose]: () => command.kill(),
  };
}
