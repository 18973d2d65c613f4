import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { CliContext } from '../context.ts';
import { confirm } from './confirm.ts';

function terminal(answer: string | undefined): CliContext {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(answer);
  return {
    environment: {},
    directory: '/',
    stdin,
    stdout: new PassThrough(),
    stderr: Object.assign(new PassThrough(), { isTTY: true }),
    signal: new AbortController().signal,
    takeSignals: () => ({ [Symbol.dispose]: () => undefined }),
  };
}

test('what cannot be undone is done after a yes, and after nothing else', async () => {
  for (const answer of ['y\n', 'YES\n']) await confirm('Delete all?', terminal(answer));
  for (const answer of ['n\n', '\n', 'yesterday\n', undefined]) {
    await expect(confirm('Delete all?', terminal(answer))).rejects.toMatchObject({ code: 'aborted' });
  }
});
