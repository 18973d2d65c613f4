import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { ShellError } from '../../shell-error.ts';
import { encodeText, type ShellText } from '../../text.ts';
import type { Invocation } from '../command-line/define-program.ts';
import { runCommand } from '../command-line/run-command.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf } from '../paths/operands.ts';
import { baseName, directoryName } from '../paths/path-names.ts';
import { ask } from '../streams/ask.ts';
import { openOutput } from '../streams/input.ts';
import type { FindSettings, FoundEntry, Predicate } from './find-node.ts';
import { formatEntry, listingLine } from './format-entry.ts';

/** Bytes of arguments that one command of `-exec … +` gets. */
const commandBytes = 131_072;

/** The actions of one search: what is printed, run and removed. */
export class FindActions {
  readonly #invocation: Invocation<never>;
  readonly #settings: FindSettings;
  readonly #files: OpenFile[] = [];
  readonly #batches: (() => Promise<void>)[] = [];

  constructor(invocation: Invocation<never>, settings: FindSettings) {
    this.#invocation = invocation;
    this.#settings = settings;
  }

  /** An action by its name; `undefined` of what is none. `argument` takes the next word. */
  make(name: ShellText, argument: () => ShellText): Predicate | undefined {
    const { call } = this.#invocation;
    switch (name) {
      case '-print':
        return (entry) => this.#print(`${entry.name}\n`);
      case '-print0':
        return (entry) => this.#print(`${entry.name}\0`);
      case '-ls':
        return (entry) => this.#print(listingLine(entry, call));
      case '-printf': {
        const format = argument();
        return (entry) => this.#print(formatEntry(format, entry, call));
      }
      case '-fprint':
      case '-fprint0': {
        const write = this.#writer(argument());
        return (entry) => write(`${entry.name}${name === '-fprint' ? '\n' : '\0'}`);
      }
      case '-fprintf': {
        const write = this.#writer(argument());
        const format = argument();
        return (entry) => write(formatEntry(format, entry, call));
      }
      case '-fls': {
        const write = this.#writer(argument());
        return (entry) => write(listingLine(entry, call));
      }
      case '-prune':
        return () => {
          this.#settings.isPruned = true;
          return true;
        };
      case '-quit':
        return () => {
          this.#settings.hasQuit = true;
          return true;
        };
      case '-delete':
        this.#settings.isDepthFirst = true;
        return (entry) => this.#delete(entry);
      case '-exec':
      case '-execdir':
      case '-ok':
      case '-okdir':
        return this.#command(name, argument);
      default:
        return undefined;
    }
  }

  /** Runs what is left of `-exec … +`, and closes files. */
  async end(): Promise<void> {
    try {
      for (const run of this.#batches) await run();
    } finally {
      for (const file of this.#files) file.release();
    }
  }

  async #print(text: ShellText): Promise<boolean> {
    await this.#invocation.out.write(text);
    return true;
  }

  #writer(name: ShellText): (text: ShellText) => Promise<boolean> {
    const { call } = this.#invocation;
    let file: OpenFile;
    try {
      file = openOutput(call, name);
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      throw new ProgramError(`${quoteName(name)}: ${error.message}`);
    }
    this.#files.push(file);
    return async (text) => {
      await file.write(encodeText(text), call.signal);
      return true;
    };
  }

  async #delete({ name, path, inode }: FoundEntry): Promise<boolean> {
    const { call, warn } = this.#invocation;
    if (name === '.') return true;
    try {
      if (isDirectory(inode.mode)) call.files.rmdir(path);
      else call.files.unlink(path);
      return true;
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      await warn(`cannot delete ${quoteName(name)}: ${error.message}`);
      this.#settings.hasFailed = true;
      return false;
    }
  }

  #command(name: ShellText, argument: () => ShellText): Predicate {
    const words: ShellText[] = [];
    for (;;) {
      const word = argument();
      if (word === ';') break;
      if (word === '+' && words.at(-1) === '{}' && !name.startsWith('-ok'))
        return this.#batch(name, words.slice(0, -1));
      words.push(word);
    }
    if (words.length === 0) throw new ProgramError(`invalid argument \`;' to \`${name}'`);
    const inDirectory = name.endsWith('dir');
    return async (entry) => {
      const shown = inDirectory ? `./${baseName(entry.name)}` : entry.name;
      const argv = words.map((word) => word.replaceAll('{}', () => shown));
      if (name.startsWith('-ok') && !(await ask(this.#invocation.call, `< ${argv[0]} ... ${shown} > ?`)))
        return false;
      return (await this.#run(argv, inDirectory ? entry : undefined)) === 0;
    };
  }

  #batch(name: ShellText, words: readonly ShellText[]): Predicate {
    const inDirectory = name.endsWith('dir');
    let gathered: ShellText[] = [];
    let size = 0;
    let place: FoundEntry | undefined;
    const run = async () => {
      if (gathered.length === 0) return;
      const argv = [...words, ...gathered];
      gathered = [];
      size = 0;
      if ((await this.#run(argv, inDirectory ? place : undefined)) !== 0) this.#settings.hasFailed = true;
    };
    this.#batches.push(run);
    return async (entry) => {
      const isElsewhere =
        inDirectory && place !== undefined && directoryName(place.name) !== directoryName(entry.name);
      if (isElsewhere) await run();
      place = entry;
      gathered.push(inDirectory ? `./${baseName(entry.name)}` : entry.name);
      size += entry.name.length + 1;
      if (size >= commandBytes) await run();
      return true;
    };
  }

  async #run(argv: readonly ShellText[], inDirectoryOf: FoundEntry | undefined): Promise<number> {
    const { call } = this.#invocation;
    const cwd = inDirectoryOf === undefined ? call.cwd : pathOf(call, directoryName(inDirectoryOf.name));
    return runCommand(this.#invocation, argv, { options: { cwd } });
  }
}
