import { type ErrorData, SandboxError } from '../../protocol/errors.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { Sandbox } from '../sandbox.ts';

/**
 * The tag that names what the last checkout or merge of a command or tool left, as git's reference of this name. A tag,
 * so that it is never forgotten, and so that every client of the sandbox sees it.
 */
export const previousHeadTag = 'ORIG_HEAD';

/** What a checkout, merge or the like has done. */
interface Moved {
  readonly previousHead: SnapshotInfo['id'];
  readonly unkept?: ErrorData | undefined;
}

/** For who asked for it: what went wrong after it had happened. */
export interface Warned {
  readonly warning?: string;
}

/**
 * Notes what a checkout or the like has left, for clients that offer to go back there. Its result, with a warning where that could
 * not be noted: it has happened all the same, and `previousHead` is the only way back then.
 */
export async function notePreviousHead<Done extends Moved>(
  sandbox: Sandbox,
  done: Done,
): Promise<Done & Warned> {
  const tag = () => sandbox.history.setTag(previousHeadTag, done.previousHead);
  const { warning } = await warnOf(tag, `the tag ${previousHeadTag}`);
  const lack = done.unkept && `It is done, but not all of what was there is kept: ${done.unkept.message}`;
  const warnings = [lack, warning].filter((each) => each !== undefined);
  return { ...done, ...(warnings.length > 0 ? { warning: warnings.join('\n') } : {}) };
}

/** A warning where `work` fails to note `what`. */
export async function warnOf(work: () => Promise<void>, what: string): Promise<Warned> {
  try {
    await work();
    return {};
  } catch (error) {
    return { warning: `It is done, but ${what} could not be set: ${SandboxError.from(error).message}` };
  }
}
