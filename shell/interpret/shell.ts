import type { FileCreator } from '../files/tree-files.ts';
import type { DescriptorTable } from '../io/descriptor-table.ts';
import { nullFile } from '../io/null-file.ts';
import type { OpenFile } from '../io/open-file.ts';
import { isSliceOver, startSlice } from '../io/time-slice.ts';
import { shellLimits } from '../limits.ts';
import type { Process } from '../processes/process-table.ts';
import { BashOptions } from '../state/options.ts';
import { ShellVariables } from '../state/shell-variables.ts';
import type { CommandNode, ScriptNode, StatementNode } from '../syntax/ast.ts';
import { encodeText, type ShellText } from '../text.ts';
import type { CallFrame, ShellFunction } from './call-frame.ts';
import type { BuiltinOf, Interpreter } from './interpreter.ts';
import { Jobs } from './jobs.ts';
import type { ShellHost } from './shell-host.ts';
import { ShellOutput } from './shell-output.ts';
import { ShellScope } from './shell-scope.ts';
import { ShellSignals } from './shell-signals.ts';
import { SpecialParameters } from './special-parameters.ts';
import { Traps } from './traps.ts';

/** How a shell was started. */
export interface ShellStart {
  readonly host: ShellHost;
  readonly process: Process;
  /** `$0`. */
  readonly name: ShellText;
  /** The script's file, where there is one. */
  readonly script?: ShellText | undefined;
  /** The text of `bash -c`. */
  readonly command?: ShellText | undefined;
  readonly isInteractive?: boolean;
  readonly descriptors: DescriptorTable;
  readonly cwd: ShellText;
  readonly uid: number;
  readonly gid: number;
  readonly umask: number;
  readonly interpreter: Interpreter<Shell>;
  /** Letters of `$-`. */
  readonly invocation?: string;
  /** Of a subshell. */
  readonly mainPid?: number;
  readonly originalInput?: OpenFile | undefined;
}

/** One bash process: a shell or a subshell. */
export class Shell implements FileCreator {
  readonly host: ShellHost;
  readonly process: Process;
  readonly start: ShellStart;
  readonly originalInput: OpenFile | undefined;
  readonly isInteractive: boolean;
  readonly scope: ShellScope;
  readonly specials: SpecialParameters;
  readonly descriptors: DescriptorTable;
  readonly output: ShellOutput;
  readonly signals: ShellSignals;
  readonly uid: number;
  readonly gid: number;

  name: ShellText;
  variables: ShellVariables;
  options: BashOptions;
  functions: Map<string, ShellFunction> = new Map();
  aliases: Map<string, ShellText> = new Map();
  hashed: Map<string, { path: ShellText; hits: number }> = new Map();
  disabledBuiltins: Set<string> = new Set();
  /** What `ulimit` has set, by its letters. */
  resourceLimits: Map<string, { readonly soft: number | 'unlimited'; readonly hard: number | 'unlimited' }> =
    new Map();
  /** `pushd`'s directories below the current one. */
  directoryStack: ShellText[] = [];
  positional: readonly ShellText[] = [];
  /** How often `set` has set them. */
  timesSet = 0;
  cwd: ShellText;
  umask: number;
  traps: Traps = new Traps();
  jobs: Jobs = new Jobs();
  frames: CallFrame[] = [];

  lastStatus = 0;
  /** The trap that runs, and what `$?` was when it began. */
  trap: { readonly name: string; readonly status: number } | undefined;
  pipeStatus: readonly number[] = [];
  lastBackgroundPid: number | undefined;
  lastArgument: ShellText = '';
  /** Of the last command substitution of the command that runs. */
  substitutionStatus: number | undefined;
  currentCommand: CommandNode | undefined;
  line = 1;
  /** A compound command has not run, as one of its redirections could not be done. */
  hasRedirectionFailed = false;
  loopDepth = 0;
  loopStatus = 0;
  subshellDepth = 0;
  /** Command substitutions within each other. */
  substitutionDepth = 0;
  /** A program that this command runs takes the place of the shell, which ends with it. */
  commandInPlace: CommandNode | undefined;
  /** Descriptors of the coprocesses that were started last, by their names. */
  coprocesses: Map<string, readonly [reads: number, writes: number]> = new Map();
  processSubstitutions: { fd: number; process: Process }[] = [];
  /** When the shell was started, in milliseconds since the epoch. */
  readonly startedAt: number = Date.now();
  /** Commands that were entered at a terminal or noted by `history -s`, the oldest first. */
  history: ShellText[] = [];
  /** `eval`s within each other. */
  evaluationDepth = 0;
  /** How many commands are run whose failure `set -e` does not count. */
  expectedFailures = 0;
  /** How many pipelines with `!` are run within each other. */
  negations = 0;
  /** Where `getopts` is: the argument, the character in it, and the `OPTIND` that tells the same. */
  readonly optionIndex: { next: number; within: number; seen: ShellText | undefined } = {
    next: 1,
    within: 0,
    seen: '1',
  };

  constructor(start: ShellStart) {
    this.start = start;
    this.host = start.host;
    this.process = start.process;
    this.name = start.name;
    this.isInteractive = start.isInteractive ?? false;
    this.descriptors = start.descriptors;
    this.originalInput = start.originalInput ?? start.descriptors.get(0);
    this.cwd = start.cwd;
    this.umask = start.umask;
    this.uid = start.uid;
    this.gid = start.gid;
    this.options = new BashOptions({ invocation: start.invocation ?? '' });
    this.scope = new ShellScope(this);
    this.specials = new SpecialParameters(this);
    this.output = new ShellOutput(start);
    this.variables = new ShellVariables(this.scope.variableOptions);
    this.signals = new ShellSignals({ isInteractive: this.isInteractive });
    this.process.expectsFailure = () => this.expectedFailures + this.negations > 0;
    this.process.onSignal = (signal) => this.signals.receive(signal, this.traps);
  }

  /** `$$`: the pid of the shell that subshells are copies of. */
  get mainPid(): number {
    return this.start.mainPid ?? this.process.pid;
  }

  /** Whether standard input is another one than the shell was started with. */
  get isInputRedirected(): boolean {
    return this.descriptors.get(0) !== this.originalInput;
  }

  /** Ends what the shell waits for while it reads its input: with the process, and by Ctrl-C at a prompt. */
  get inputSignal(): AbortSignal {
    const { signal } = this.process;
    return this.isInteractive ? AbortSignal.any([signal, this.signals.interruption]) : signal;
  }

  get isInFunction(): boolean {
    return this.frames.some(({ type }) => type === 'function');
  }

  get isSubshell(): boolean {
    return this.subshellDepth > 0;
  }

  /** Notes a command in the history, which keeps the newest ones. */
  remember(line: ShellText): void {
    this.history.push(line);
    if (this.history.length > shellLimits.historyLines) this.history.shift();
  }

  runStatements(statements: readonly StatementNode[]): Promise<number> {
    return this.start.interpreter.runStatements(this, statements);
  }

  runCommand(command: CommandNode): Promise<number> {
    return this.start.interpreter.runCommand(this, command);
  }

  runPendingTraps(): Promise<void> {
    return this.start.interpreter.runPendingTraps(this);
  }

  substituteCommand(script: ScriptNode): Promise<ShellText> {
    return this.start.interpreter.substituteCommand(this, script);
  }

  substituteProcess(script: ScriptNode, direction: 'input' | 'output'): Promise<ShellText> {
    return this.start.interpreter.substituteProcess(this, script, direction);
  }

  /** Between commands: lets others have the thread, and notices signals. Answers what to wait for, if anything. */
  step(): Promise<void> | undefined {
    this.process.meter.takeThread();
    this.process.signal.throwIfAborted();
    this.signals.check();
    if (isSliceOver()) return this.#rest();
    return this.traps.hasPending ? this.runPendingTraps() : undefined;
  }

  async #rest(): Promise<void> {
    await startSlice();
    this.process.meter.takeThread();
    this.process.signal.throwIfAborted();
    this.signals.check();
    if (this.traps.hasPending) await this.runPendingTraps();
  }

  setLine(line: number | undefined): void {
    if (line) this.line = line;
  }

  /** Sets `$?`, and answers it. */
  setStatus(status: number): number {
    this.lastStatus = status;
    return status;
  }

  /** Answers their statuses. */
  async waitForAll(processes: readonly Process[]): Promise<number[]> {
    const statuses: number[] = [];
    for (const process of processes) statuses.push((await process.ended).exitCode);
    this.process.signal.throwIfAborted();
    return statuses;
  }

  async whileFailureIsExpected<T>(run: () => Promise<T>): Promise<T> {
    this.expectedFailures += 1;
    try {
      return await run();
    } finally {
      this.expectedFailures -= 1;
    }
  }

  /** The name that messages begin with. */
  errorName(): ShellText {
    if (this.isInteractive) return this.name;
    return this.frames.at(-1)?.source || this.start.script || this.name;
  }

  messageOf(text: ShellText): ShellText {
    const place = this.isInteractive ? '' : `line ${this.line}: `;
    return `${this.errorName()}: ${place}${text}\n`;
  }

  /** Writes a message to standard error. */
  async tell(text: ShellText): Promise<void> {
    await this.output.writeMessage(this.messageOf(text));
  }

  /** As `tell`, for those who cannot wait: it is written before what comes next. */
  warn(text: ShellText): void {
    this.output.warn(this.messageOf(text));
  }

  /** As `warn`, with nothing before the text but the shell's name. */
  warnPlain(text: ShellText): void {
    this.output.warn(`${text}\n`);
  }

  flushWarnings(): Promise<void> {
    return this.output.flush();
  }

  /** Writes the output of a built-in. @throws ShellError */
  print(text: ShellText): Promise<void> {
    return this.output.write(1, encodeText(text));
  }

  writeStderr(bytes: Uint8Array): Promise<void> {
    return this.output.write(2, bytes).catch(() => this.process.signal.throwIfAborted());
  }

  writeStderrText(text: ShellText): Promise<void> {
    return this.output.writeMessage(text);
  }

  writeDescriptor(fd: number, bytes: Uint8Array): Promise<void> {
    return this.output.write(fd, bytes);
  }

  standardInput(): OpenFile {
    return this.descriptors.get(0) ?? nullFile;
  }

  closeSubstitutions(mark: number): void {
    for (const { fd } of this.processSubstitutions.splice(mark)) this.descriptors.close(fd);
  }

  /** All of them, also those that are disabled. */
  get builtins(): ReadonlyMap<string, BuiltinOf<Shell>> {
    return this.start.interpreter.builtins;
  }

  builtin(name: ShellText): BuiltinOf<Shell> | undefined {
    return this.disabledBuiltins.has(name) ? undefined : this.builtins.get(name);
  }

  /** The file that commands are of, as `BASH_SOURCE` has it. */
  get sourceName(): ShellText {
    const { script, command } = this.start;
    return this.frames.at(-1)?.source || script || (command === undefined ? 'main' : 'environment');
  }

  /** A variable of that name was assigned: some are more than variables. */
  assigned(name: string): void {
    this.specials.assigned(name);
    if (name === 'PATH') this.hashed.clear();
    if (name === 'OPTIND') this.optionIndex.seen = undefined;
    if (name === 'BASH_ARGV0') this.name = this.variables.get(name) ?? this.name;
  }
}
