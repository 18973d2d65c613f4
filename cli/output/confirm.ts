import { createInterface } from 'node:readline/promises';
import { SandboxError } from '../../protocol/errors.ts';
import type { CliContext } from '../context.ts';

/**
 * Asks on the terminal before something that cannot be undone.
 * @throws aborted for every other answer than yes; invalid-argument where there is no terminal to ask on
 */
export async function confirm(question: string, { stdin, stderr, signal }: CliContext): Promise<void> {
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new SandboxError('invalid-argument', `${question} There is no terminal to answer on: give --yes`);
  }
  const asking = createInterface({ input: stdin, output: stderr });
  const closed = Promise.withResolvers<string>();
  asking.once('close', () => closed.resolve(''));
  try {
    const answer = await Promise.race([asking.question(`${question} [y/N] `, { signal }), closed.promise]);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } catch (cause) {
    if (!signal.aborted) throw cause;
  } finally {
    asking.close();
  }
  throw new SandboxError('aborted', 'Nothing was done');
}
