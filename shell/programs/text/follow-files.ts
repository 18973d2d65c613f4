import { OpenTreeFile } from '../../files/open-tree-file.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { Invocation } from '../command-line/define-program.ts';
import { quoteName } from '../messages/quote-name.ts';
import { openInput } from '../streams/input.ts';
import { wait } from '../streams/wait.ts';

/** A file that `tail -f` goes on reading. */
export interface FollowedFile {
  readonly name: ShellText;
  readonly shown: ShellText;
  /** `undefined` while it cannot be opened. */
  file: OpenFile | undefined;
  /** Opens what has the name by now. */
  readonly byName: boolean;
}

interface Following {
  readonly invocation: Pick<Invocation<never>, 'call' | 'out' | 'warn'>;
  readonly hasHeaders: boolean;
  readonly intervalMs: number;
  readonly pid: number | undefined;
}

/** Prints what is added to files, until it is aborted, or the process ends, or all are pipes that have ended. */
export async function followFiles(files: FollowedFile[], following: Following): Promise<void> {
  const { call, out } = following.invocation;
  let latest = files.at(-1);
  try {
    for (;;) {
      const hasEnded =
        following.pid !== undefined && !call.processes.list().some(({ pid }) => pid === following.pid);
      for (const followed of files) {
        await refresh(followed, following);
        const piece = await readMore(followed, following);
        if (piece.length === 0) continue;
        if (following.hasHeaders && latest !== followed) out.add(`\n==> ${followed.shown} <==\n`);
        latest = followed;
        out.addBytes(piece);
        await out.flush();
      }
      const isOver = files.every(({ file }) => file !== undefined && !(file instanceof OpenTreeFile));
      if (hasEnded || isOver) return;
      await wait(following.intervalMs, call.signal);
    }
  } finally {
    for (const { file } of files) file?.release();
  }
}

async function readMore({ file, shown }: FollowedFile, { invocation }: Following): Promise<Uint8Array> {
  if (!(file instanceof OpenTreeFile))
    return (await file?.read(65_536, invocation.call.signal)) ?? new Uint8Array(0);
  if (file.position > file.sizeBytes) {
    await invocation.warn(`${shown}: file truncated`);
    file.position = 0;
  }
  return file.read(65_536);
}

/** The file that has the name now, where it is another than the one that is read. */
async function refresh(followed: FollowedFile, { invocation }: Following): Promise<void> {
  if (!followed.byName && followed.file !== undefined) return;
  const { name, shown, file } = followed;
  try {
    const now = openInput(invocation.call, name);
    const isSame = file instanceof OpenTreeFile && now instanceof OpenTreeFile && file.ino === now.ino;
    if (isSame || name === '-') {
      now.release();
      return;
    }
    const how = file === undefined ? 'has appeared' : 'has been replaced';
    await invocation.warn(`${quoteName(shown)} ${how};  following new file`);
    file?.release();
    followed.file = now;
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    if (file === undefined) return;
    await invocation.warn(`${quoteName(shown)} has become inaccessible: ${error.message}`);
    file.release();
    followed.file = undefined;
  }
}
