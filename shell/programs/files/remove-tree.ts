import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { ShellText } from '../../text.ts';
import { kindOf } from '../attributes/file-kind.ts';
import { attempt, type Invocation } from '../command-line/define-program.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf } from '../paths/operands.ts';
import { joinPath } from '../paths/path-names.ts';
import { ask } from '../streams/ask.ts';
import { Steps } from '../streams/steps.ts';

interface RemoveStyle {
  readonly isRecursive: boolean;
  readonly removesEmptyDirectories: boolean;
  readonly asks: boolean;
  readonly isVerbose: boolean;
}

type Removing = Pick<Invocation<never>, 'call' | 'out' | 'warn'>;

/** Removes files and, with all that they hold, directories, as `rm` does. */
export class TreeRemover {
  readonly #invocation: Removing;
  readonly #style: RemoveStyle;
  readonly #steps: Steps;

  constructor(invocation: Removing, style: RemoveStyle) {
    this.#invocation = invocation;
    this.#style = style;
    this.#steps = new Steps(invocation.call.signal);
  }

  /** Whether all of it is removed, or was left on purpose; what went wrong has been printed. */
  async remove(name: ShellText): Promise<boolean> {
    await this.#steps.next();
    const { call } = this.#invocation;
    const path = pathOf(call, name);
    const what = `cannot remove ${quoteName(name)}`;
    let isDone = true;
    const isRemoved = await attempt(this.#invocation, what, async () => {
      const inode = call.files.lstat(path);
      if (isDirectory(inode.mode) && !this.#style.removesEmptyDirectories && !this.#style.isRecursive) {
        await this.#invocation.warn(`${what}: Is a directory`);
        isDone = false;
        return;
      }
      if (isDirectory(inode.mode)) {
        isDone = await this.#removeDirectory(name, path);
        return;
      }
      if (this.#style.asks && !(await ask(call, `remove ${kindOf(inode)} ${quoteName(name)}?`))) return;
      call.files.unlink(path);
      await this.#tell(`removed ${quoteName(name)}\n`);
    });
    return isRemoved && isDone;
  }

  async #removeDirectory(name: ShellText, path: ShellText): Promise<boolean> {
    const { call } = this.#invocation;
    const names = call.files.readdir(path);
    if (this.#style.isRecursive && names.length > 0) {
      const descends = this.#style.asks;
      if (descends && !(await ask(call, `descend into directory ${quoteName(name)}?`))) return true;
      let isDone = true;
      for (const below of names) if (!(await this.remove(joinPath(name, below)))) isDone = false;
      if (!isDone) return false;
      // Something was left on purpose.
      if (call.files.readdir(path).length > 0 && descends) return true;
    }
    if (this.#style.asks && !(await ask(call, `remove directory ${quoteName(name)}?`))) return true;
    call.files.rmdir(path);
    await this.#tell(`removed directory ${quoteName(name)}\n`);
    return true;
  }

  async #tell(line: ShellText): Promise<void> {
    if (this.#style.isVerbose) await this.#invocation.out.write(line);
  }
}
