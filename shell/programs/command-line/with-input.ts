import type { OpenFile } from '../../io/open-file.ts';
import type { ShellText } from '../../text.ts';
import { nameInMessage } from '../messages/quote-name.ts';
import { openInput } from '../streams/input.ts';
import { attempt, type Invocation } from './define-program.ts';

interface InputMessages {
  /** What stands before the reason for which a file could not be opened. Default: its name. */
  readonly opening?: ShellText;
  readonly reading?: ShellText;
}

/** Opens a file, uses it, and releases it. Whether it succeeded: a failure has been printed. */
export async function withInput(
  invocation: Pick<Invocation, 'call' | 'warn'>,
  { name, opening, reading }: InputMessages & { name: ShellText },
  use: (file: OpenFile) => Promise<unknown>,
): Promise<boolean> {
  const shown = nameInMessage(name);
  let file: OpenFile | undefined;
  await attempt(invocation, opening ?? shown, () => {
    file = openInput(invocation.call, name);
  });
  const opened = file;
  if (opened === undefined) return false;
  try {
    return await attempt(invocation, reading ?? shown, () => use(opened));
  } finally {
    opened.release();
  }
}
