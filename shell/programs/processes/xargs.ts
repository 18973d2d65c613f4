import { absolutePath } from '../../files/tree-files.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { ShellError } from '../../shell-error.ts';
import { encodeText, type ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { runCommand } from '../command-line/run-command.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteIfNeeded, quoteName } from '../messages/quote-name.ts';
import { expandEscapes } from '../notation/expand-escapes.ts';
import type { Program } from '../program.ts';
import { openInput } from '../streams/input.ts';
import { Steps } from '../streams/steps.ts';
import { delimitedArguments, type InputArgument, quotedArguments } from './xargs-input.ts';

/** What GNU's xargs takes for a command line by default. */
const commandBytes = 131_072;
const mostProcesses = 64;

const options = {
  null: '-0, --null  items are separated by a null, not whitespace; disables quote and backslash processing',
  file: '-a, --arg-file=FILE  read arguments from FILE, not standard input',
  delimiter: '-d, --delimiter=CHARACTER  items in input stream are separated by CHARACTER, not by whitespace',
  endMark:
    '-E END  set logical EOF string; if END occurs as a line of input, the rest of the input is ignored',
  eof: '-e, --eof[=END]  equivalent to -E END if END is specified',
  replaceWith: '-I R  same as --replace=R',
  replace: '-i, --replace[=R]  replace R in INITIAL-ARGS with names read from standard input',
  lines: '-L, --max-lines=MAX-LINES  use at most MAX-LINES non-blank input lines per command line',
  oldLines: '-l[MAX-LINES]  similar to -L but defaults to at most one non-blank input line',
  count: '-n, --max-args=MAX-ARGS  use at most MAX-ARGS arguments per command line',
  openTty: '-o, --open-tty  (ignored)',
  processes: '-P, --max-procs=MAX-PROCS  run at most MAX-PROCS processes at a time',
  interactive: '-p, --interactive  prompt before running commands (not supported)',
  slot: '--process-slot-var=VAR  set environment variable VAR in child processes',
  noRunIfEmpty: '-r, --no-run-if-empty  if there are no arguments, then do not run COMMAND',
  characters: '-s, --max-chars=MAX-CHARS  limit length of command line to MAX-CHARS',
  showLimits: '--show-limits  show limits on command-line length',
  trace: '-t, --verbose  print commands before executing them',
  exit: '-x, --exit  exit if the size (see -s) is exceeded',
};

type Key = keyof typeof options;

export const xargs: Program = defineProgram({
  usage: '[OPTION]... COMMAND [INITIAL-ARGS]...',
  summary: 'Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.',
  permutes: false,
  options,
  async run(invocation) {
    const { call, options: given, operands } = invocation;
    const lastReplace = given.last('replaceWith', 'replace');
    const limiting = given.last('replaceWith', 'replace', 'lines', 'oldLines', 'count');
    const replaced =
      lastReplace !== undefined && (limiting === lastReplace || limiting === 'count')
        ? (given.value(lastReplace) ?? '{}')
        : undefined;
    const lineCount =
      limiting === 'lines' || limiting === 'oldLines'
        ? numberOf(given.value(limiting) ?? '1', 'L')
        : undefined;
    const count =
      limiting === 'count' && replaced === undefined ? numberOf(given.value('count') ?? '', 'n') : undefined;
    const most = given.has('characters') ? numberOf(given.value('characters') ?? '', 's') : commandBytes;
    const processes = numberOf(given.value('processes') ?? '1', 'P', 0);
    const command = operands.length > 0 ? operands : ['echo'];
    const batches = new Batches({
      command,
      replaced,
      lineCount,
      count,
      most,
      exits: given.has('exit') || replaced !== undefined,
    });
    const children = new Children(invocation, {
      most: processes === 0 ? mostProcesses : Math.min(processes, mostProcesses),
      isTraced: given.has('trace'),
    });
    const file = given.value('file');
    const input = file === undefined ? openInput(call, '-') : await openArguments(invocation, file);
    try {
      for await (const argument of argumentsOf(invocation, input, replaced !== undefined)) {
        for (const argv of batches.add(argument)) await children.start(argv);
        if (children.isOver) break;
      }
      const rest = batches.end(given.has('noRunIfEmpty') || replaced !== undefined);
      if (rest && !children.isOver) await children.start(rest);
    } catch (error) {
      await children.end();
      throw error;
    } finally {
      input.release();
    }
    return children.end();
  },
});

async function openArguments({ call }: Pick<Invocation<Key>, 'call'>, file: ShellText): Promise<OpenFile> {
  try {
    return call.files.open(absolutePath(call.cwd, file), { read: true }, call);
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new ProgramError(`Cannot open input file ${quoteName(file)}: ${error.message}`);
  }
}

function argumentsOf(
  { call, options: given }: Pick<Invocation<Key>, 'call' | 'options'>,
  file: OpenFile,
  wholeLines: boolean,
): AsyncGenerator<InputArgument> {
  const { signal } = call;
  const last = given.last('null', 'delimiter');
  if (last === undefined) {
    return quotedArguments(file, {
      signal,
      wholeLines,
      endMark: given.value('endMark') ?? given.value('eof'),
    });
  }
  const text = last === 'null' ? '\0' : expandEscapes(given.value('delimiter') ?? '').text;
  const bytes = encodeText(text);
  if (bytes.length !== 1) {
    throw new ProgramError(
      `Invalid input delimiter specification ${given.value('delimiter')}: the delimiter must be either a single character or an escape sequence starting with \\.`,
    );
  }
  return delimitedArguments(file, { signal, delimiter: bytes[0] ?? 0 });
}

function numberOf(text: ShellText, letter: string, least = 1): number {
  if (!/^[-+]?\d+$/.test(text)) throw new UsageError(`invalid number "${text}" for -${letter} option`);
  const number = Number(text);
  if (number < least) throw new UsageError(`value ${text} for -${letter} option should be >= ${least}`);
  return number;
}

interface BatchRules {
  readonly command: readonly ShellText[];
  readonly replaced: ShellText | undefined;
  readonly lineCount: number | undefined;
  readonly count: number | undefined;
  readonly most: number;
  readonly exits: boolean;
}

/** Arguments as they are gathered to command lines. */
class Batches {
  readonly #rules: BatchRules;
  readonly #base: number;
  #args: ShellText[] = [];
  #size = 0;
  #lines = 0;
  #hasRun = false;

  constructor(rules: BatchRules) {
    this.#rules = rules;
    this.#base = sizeOf(rules.command);
    this.#size = this.#base;
    if (this.#base > rules.most)
      throw new ProgramError('cannot fit single argument within argument list size limit');
  }

  /** The command lines that are complete by this argument. */
  *add({ text, endsLine }: InputArgument): Generator<readonly ShellText[]> {
    const { command, replaced, most, exits, count, lineCount } = this.#rules;
    if (replaced !== undefined) {
      this.#hasRun = true;
      const [name = '', ...initial] = command;
      const argv = [name, ...initial.map((argument) => argument.split(replaced).join(text))];
      if (sizeOf(argv) > most) throw new ProgramError('argument list too long');
      yield argv;
      return;
    }
    const size = sizeOf([text]);
    if (this.#base + size > most) throw new ProgramError('argument line too long');
    if (this.#size + size > most) {
      if (exits && (count !== undefined || lineCount !== undefined))
        throw new ProgramError('argument list too long');
      yield this.#take();
    }
    this.#args.push(text);
    this.#size += size;
    if (endsLine) this.#lines += 1;
    const isFull = this.#args.length === count || (endsLine && this.#lines === lineCount);
    if (isFull) yield this.#take();
  }

  /** The last command line, if there is one. */
  end(onlyWithArguments: boolean): readonly ShellText[] | undefined {
    if (this.#args.length > 0) return this.#take();
    return this.#hasRun || onlyWithArguments ? undefined : this.#take();
  }

  #take(): readonly ShellText[] {
    const argv = [...this.#rules.command, ...this.#args];
    this.#args = [];
    this.#size = this.#base;
    this.#lines = 0;
    this.#hasRun = true;
    return argv;
  }
}

function sizeOf(words: readonly ShellText[]): number {
  return words.reduce((sum, word) => sum + encodeText(word).length + 1, 0);
}

/** The commands that run, several at a time if need be. */
class Children {
  readonly #invocation: Invocation<Key>;
  readonly #most: number;
  readonly #isTraced: boolean;
  readonly #steps: Steps;
  readonly #running: Set<Promise<void>> = new Set();
  #failure: unknown;
  #status = 0;
  isOver = false;

  constructor(invocation: Invocation<Key>, { most, isTraced }: { most: number; isTraced: boolean }) {
    this.#invocation = invocation;
    this.#most = most;
    this.#isTraced = isTraced;
    this.#steps = new Steps(invocation.call.signal);
  }

  /** Starts a command, and waits until there is room for another. */
  async start(argv: readonly ShellText[]): Promise<void> {
    await this.#steps.next();
    const { call } = this.#invocation;
    if (this.#isTraced) {
      const line = `${argv.map(quoteIfNeeded).join(' ')}\n`;
      await call.stderr.write(encodeText(line), call.signal);
    }
    const run: Promise<void> = this.#run(argv)
      .catch((error: unknown) => {
        this.#failure ??= error;
        this.isOver = true;
      })
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
    if (this.#running.size >= this.#most) await Promise.race(this.#running);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits for all. */
  async end(): Promise<number> {
    await Promise.all(this.#running);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#status;
  }

  async #run(argv: readonly ShellText[]): Promise<void> {
    const { call, options: given } = this.#invocation;
    const stdin = given.has('file') ? call.stdin : call.files.open('/dev/null', { read: true }, call);
    if (given.has('file')) stdin.retain();
    let status: number;
    try {
      status = await runCommand(this.#invocation, argv, { options: { stdin }, isBare: true });
    } finally {
      stdin.release();
    }
    const [name = ''] = argv;
    if (status === 0) return;
    if (status === 126 || status === 127) {
      this.#status = status;
      this.isOver = true;
    } else if (status === 255) {
      await this.#invocation.warn(`${name}: exited with status 255; aborting`);
      this.#status = 124;
      this.isOver = true;
    } else if (status > 128) {
      await this.#invocation.warn(`${name}: terminated by signal ${status - 128}`);
      this.#status = 125;
      this.isOver = true;
    } else if (this.#status === 0) this.#status = 123;
  }
}
