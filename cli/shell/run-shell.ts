import { createInterface, type Interface } from 'node:readline';
import { SandboxError } from '../../protocol/errors.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import type { CliContext } from '../context.ts';
import { durationText } from '../output/amounts.ts';
import { plainLines, plainText } from '../output/plain-text.ts';
import type { Printer } from '../output/printer.ts';
import { Style } from '../output/style.ts';
import { completeLine } from './complete-line.ts';
import { HistoryFile } from './history-file.ts';
import { shellLimits } from './limits.ts';
import { needsMore } from './needs-more.ts';
import { needsTerminal } from './needs-terminal.ts';
import { runShellCommand } from './shell-commands.ts';
import type { ShellSession } from './shell-session.ts';

/** Where a program goes that reads what is typed. */
const terminalCommand = 'coppice shell --tty';

/** Reads lines and runs them, until there is no more, or one says so. Resolves to the exit code of the last. */
export async function runShell(
  session: ShellSession,
  parts: { readonly context: CliContext; readonly printer: Printer },
): Promise<number> {
  const prompt = new ShellPrompt(session, parts);
  try {
    return await prompt.run();
  } finally {
    prompt.close();
  }
}

class ShellPrompt {
  readonly #session: ShellSession;
  readonly #context: CliContext;
  readonly #printer: Printer;
  readonly #style: Style;
  readonly #lines: Interface;
  readonly #historyFile: HistoryFile;
  readonly #signals: Disposable;
  #typed: readonly string[] = [];
  #isTerminal: boolean;
  #isRunning = false;
  /** Whether no more lines come: those that came before are still run. */
  #isClosed = false;
  /** Lines of a command that is not complete. */
  #pending = '';
  #exitCode = 0;

  constructor(
    session: ShellSession,
    { context, printer }: { readonly context: CliContext; readonly printer: Printer },
  ) {
    const { stdin, stdout } = context;
    this.#session = session;
    this.#context = context;
    this.#printer = printer;
    this.#style = new Style(context);
    this.#isTerminal = stdin.isTTY === true && stdout.isTTY === true;
    this.#historyFile = new HistoryFile(context);
    this.#lines = createInterface({
      input: stdin,
      output: stdout,
      terminal: this.#isTerminal,
      historySize: shellLimits.historyLines,
      removeHistoryDuplicates: true,
      ...(this.#isTerminal ? { history: this.#historyFile.read() } : {}),
      completer: (line: string, done: (error: null, completion: [string[], string]) => void) => {
        void completeLine(line, session).then((completion) => done(null, completion));
      },
    });
    this.#lines.on('history', (lines) => {
      this.#typed = lines;
    });
    this.#lines.on('close', () => {
      this.#isClosed = true;
    });
    this.#lines.on('SIGINT', () => this.#interrupt());
    this.#signals = context.takeSignals(['SIGINT'], () => this.#interrupt());
  }

  async run(): Promise<number> {
    if (this.#isTerminal) {
      const remark = `Commands read no input here: ${terminalCommand} gives them the terminal. %help lists what this prompt can do`;
      this.#printer.note(this.#style.paint('dim', remark));
    }
    await this.#ask();
    for await (const line of this.#lines) {
      const text = this.#pending === '' ? line : `${this.#pending}\n${line}`;
      this.#pending = '';
      const isOwn = text.trimStart().startsWith('%');
      if (!isOwn && text.length <= shellLimits.commandCharacters && needsMore(text)) this.#pending = text;
      else if (await this.#take(text)) return this.#exitCode;
      await this.#ask();
    }
    if (this.#pending !== '') await this.#take(this.#pending);
    return this.#exitCode;
  }

  close(): void {
    this.#signals[Symbol.dispose]();
    this.#lines.close();
    if (this.#isTerminal && this.#typed.length > 0) this.#historyFile.write(this.#typed);
  }

  /** Runs a whole command. Answers whether it was the last. */
  async #take(text: string): Promise<boolean> {
    const [, , status] = /^\s*(exit|logout|%exit)(?:\s+(\d{1,3}))?\s*$/.exec(text) ?? [];
    if (/^\s*(exit|logout|%exit)(\s+\d{1,3})?\s*$/.test(text)) {
      if (status !== undefined) this.#exitCode = Number(status) & 255;
      return true;
    }
    if (text.trim() === '') return false;
    this.#isRunning = true;
    try {
      if (text.trimStart().startsWith('%')) await this.#runOwn(text.trim());
      else await this.#runInside(text);
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (error.code === 'connection-lost') throw error;
      this.#exitCode = 1;
      this.#context.stderr.write(`coppice: ${plainLines(error.message)}\n`);
    } finally {
      this.#isRunning = false;
    }
    return false;
  }

  async #runOwn(line: string): Promise<void> {
    const said = await runShellCommand(line, this.#session, this.#context);
    if (said !== '') this.#context.stdout.write(`${said}\n`);
    this.#exitCode = 0;
  }

  async #runInside(command: string): Promise<void> {
    const { runtime } = this.#session.sandbox.info;
    // A shell in a process has none of these programs, and says so.
    const hasPrograms = describeRuntime(runtime)?.linux ?? true;
    const program = this.#isTerminal && hasPrograms ? needsTerminal(command) : undefined;
    if (program !== undefined) {
      this.#exitCode = 1;
      this.#printer.note(`coppice: ${program} needs the terminal, which it has in ${terminalCommand}`);
      return;
    }
    const { exitCode, durationMs, reason } = await this.#session.run(command);
    this.#exitCode = exitCode < 0 ? 137 : exitCode;
    const parts = [
      ...(this.#exitCode === 0 ? [] : [`exit ${this.#exitCode}`]),
      ...(reason === 'exited' || reason === 'signalled' ? [] : [reason]),
      ...(durationMs < shellLimits.quickMs ? [] : [durationText(durationMs)]),
    ];
    if (parts.length > 0) this.#printer.note(this.#style.paint('dim', `[${parts.join(', ')}]`));
  }

  async #ask(): Promise<void> {
    if (!this.#isTerminal) return;
    const text = this.#pending === '' ? await this.#prompt() : '> ';
    // It would read on from standard input, and nobody would end that.
    if (this.#isClosed) return;
    this.#lines.setPrompt(text);
    this.#lines.prompt();
  }

  async #prompt(): Promise<string> {
    const { name } = this.#session.sandbox.info;
    const directory = await this.#session.directory().catch(() => '?');
    const shown = plainText(directory).replace(/^\/home\/user(?=\/|$)/, '~');
    return `${this.#style.paint('cyan', plainText(name))}:${shown}$ `;
  }

  /** Of what runs, or else of what was typed. */
  #interrupt(): void {
    if (this.#isRunning) {
      this.#session.interrupt();
      return;
    }
    this.#pending = '';
    if (!this.#isTerminal) {
      this.#lines.close();
      return;
    }
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    this.#context.stdout.write('^C\n');
    void this.#ask();
  }
}
