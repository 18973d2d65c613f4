import { once } from 'node:events';
import type { CliOutput } from '../context.ts';

/** Writes to a stream, and resolves when it takes more: a slow reader has the command wait instead of its memory grow. */
export async function writeOut(output: CliOutput, text: string | Uint8Array): Promise<void> {
  // One that is destroyed never drains.
  if (output.destroyed || output.write(text)) return;
  await Promise.race([once(output, 'drain'), once(output, 'close')]);
}
