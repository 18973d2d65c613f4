import { isDirectory, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino, InodeView } from '../../../tree/live/file-tree.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf } from '../paths/operands.ts';
import { joinPath } from '../paths/path-names.ts';
import type { Program } from '../program.ts';
import { Steps } from '../streams/steps.ts';
import { FindActions } from './find-actions.ts';
import type { FindSettings, FoundEntry, Predicate } from './find-node.ts';
import { FindParser } from './parse-find.ts';

export const find: Program = defineProgram({
  usage: '[-H] [-L] [-P] [path...] [expression]',
  summary: 'Search for files in a directory hierarchy.',
  // Its words begin with a dash and are no options: all are operands, but for `-help`, `--help` and their like alone.
  rewrite: (args) =>
    args.length === 1 && /^--?(help|version)$/.test(args[0] ?? '')
      ? [`-${args[0]?.replace(/^-+/, '-')}`]
      : ['--', ...args],
  async run(invocation) {
    const { call } = invocation;
    const settings: FindSettings = {
      maxDepth: Number.POSITIVE_INFINITY,
      minDepth: 0,
      isDepthFirst: false,
      follows: 'never',
      hasQuit: false,
      isPruned: false,
      hasFailed: false,
    };
    const words = [...invocation.operands];
    for (let word = words[0]; word !== undefined && /^-([HLP]|O\d|D.*)$/.test(word); word = words[0]) {
      if (word === '-L') settings.follows = 'always';
      if (word === '-H') settings.follows = 'operands';
      if (word === '-P') settings.follows = 'never';
      words.shift();
    }
    const first = words.findIndex((word) => /^-.|^[!(),]$/.test(word));
    const names = first < 0 ? words : words.slice(0, first);
    const actions = new FindActions(invocation, settings);
    const expression = new FindParser(first < 0 ? [] : words.slice(first), {
      call,
      settings,
      actions,
    }).parse();
    const search = new Search(invocation, { settings, expression });
    try {
      for (const name of names.length > 0 ? names : ['.']) {
        await search.from(name);
        if (settings.hasQuit) break;
      }
    } finally {
      await actions.end();
    }
    return settings.hasFailed ? 1 : 0;
  },
});

class Search {
  readonly #invocation: Invocation<never>;
  readonly #settings: FindSettings;
  readonly #expression: Predicate;
  readonly #steps: Steps;

  constructor(
    invocation: Invocation<never>,
    { settings, expression }: { settings: FindSettings; expression: Predicate },
  ) {
    this.#invocation = invocation;
    this.#settings = settings;
    this.#expression = expression;
    this.#steps = new Steps(invocation.call.signal);
  }

  async from(name: ShellText): Promise<void> {
    const { call } = this.#invocation;
    const path = pathOf(call, name);
    await this.#try(name, async () => {
      const inode = this.#look(path, this.#settings.follows !== 'never');
      await this.#visit({ name, start: name, path, depth: 0, inode }, []);
    });
  }

  /** `above` are the directories that it is in: a link to one of them is a circle. */
  async #visit(entry: FoundEntry, above: readonly Ino[]): Promise<void> {
    await this.#steps.next();
    const settings = this.#settings;
    const { ino, mode } = entry.inode;
    const isShown = entry.depth >= settings.minDepth;
    settings.isPruned = false;
    if (isShown && !settings.isDepthFirst) await this.#expression(entry);
    const isPruned = settings.isPruned && !settings.isDepthFirst;
    if (isDirectory(mode) && !isPruned && entry.depth < settings.maxDepth && !settings.hasQuit) {
      await this.#descend(entry, [...above, ino]);
    }
    if (isShown && settings.isDepthFirst && !settings.hasQuit) await this.#expression(entry);
  }

  async #descend(entry: FoundEntry, above: readonly Ino[]): Promise<void> {
    const { call, warn } = this.#invocation;
    const follows = this.#settings.follows === 'always';
    let names: readonly ShellText[] = [];
    await this.#try(entry.name, async () => {
      names = [...call.files.readdir(entry.path)].sort();
    });
    for (const name of names) {
      if (this.#settings.hasQuit) return;
      const path = joinPath(entry.path, name);
      const shown = joinPath(entry.name, name);
      await this.#try(shown, async () => {
        const inode = this.#look(path, follows);
        if (follows && above.includes(inode.ino)) {
          await warn(
            `File system loop detected; ${quoteName(shown)} is part of the same file system loop as ${quoteName(entry.start)}.`,
          );
          this.#settings.hasFailed = true;
          return;
        }
        await this.#visit({ name: shown, start: entry.start, path, depth: entry.depth + 1, inode }, above);
      });
    }
  }

  #look(path: ShellText, follow: boolean): InodeView {
    const { files } = this.#invocation.call;
    const itself = files.lstat(path);
    if (!follow || !isSymlink(itself.mode) || !files.exists(path)) return itself;
    return files.stat(path);
  }

  async #try(name: ShellText, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof ShellError) || error.code === 'EPIPE') throw error;
      await this.#invocation.warn(`${quoteName(name)}: ${error.message}`);
      this.#settings.hasFailed = true;
    }
  }
}
