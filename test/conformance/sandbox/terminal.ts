import type { ExitStatus } from '../../../protocol/sandbox/processes.ts';
import type { PtyHandle } from '../../../sdk/pty.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';

const patienceMs = 60_000;
/** The end of the prompt, behind which readline may erase the line (`ESC [ K`). */
const prompt = /[$#] \S{0,3}$/;

/** A terminal as a script sees it: types lines and waits for what they show. */
export class Terminal {
  readonly exit: Promise<ExitStatus>;
  readonly #pty: PtyHandle;
  readonly #output: Output;

  private constructor(pty: PtyHandle, output: Output, exit: Promise<ExitStatus>) {
    this.#pty = pty;
    this.#output = output;
    this.exit = exit;
  }

  /** A login shell, at its first prompt; or one that waited to be taken, once it shows what is `shown`. */
  static async open(
    sandbox: Sandbox,
    { shown = prompt, ...options }: { user?: 'user' | 'root'; shown?: RegExp } = {},
  ): Promise<Terminal> {
    const output = new Output();
    const exit = Promise.withResolvers<ExitStatus>();
    const pty = await sandbox.pty.create({
      columns: 80,
      rows: 24,
      onData: (bytes) => output.push(bytes),
      onExit: exit.resolve,
      ...options,
    });
    const terminal = new Terminal(pty, output, exit.promise);
    await terminal.shows(shown);
    return terminal;
  }

  /** Of the shell in it. */
  get pid(): number {
    return this.#pty.pid;
  }

  /** Everything shown so far, escape sequences included. */
  get text(): string {
    return this.#output.text;
  }

  type(text: string): Promise<void> {
    return this.#pty.sendInput(new TextEncoder().encode(text));
  }

  /** Types a line and answers what it showed until the next prompt. */
  async run(line: string): Promise<string> {
    const from = this.#output.text.length;
    await this.type(`${line}\n`);
    await this.#output.shows(prompt, { from: from + line.length });
    return this.#output.text.slice(from);
  }

  shows(pattern: RegExp): Promise<void> {
    return this.#output.shows(pattern, { from: 0 });
  }

  resize(columns: number, rows: number): Promise<void> {
    return this.#pty.resize({ columns, rows });
  }

  kill(): Promise<void> {
    return this.#pty.kill();
  }
}

class Output {
  text = '';
  readonly #decoder = new TextDecoder();
  #onText: () => void = () => undefined;

  push(bytes: Uint8Array): void {
    this.text += this.#decoder.decode(bytes, { stream: true });
    this.#onText();
  }

  async shows(pattern: RegExp, { from }: { from: number }): Promise<void> {
    const deadline = AbortSignal.timeout(patienceMs);
    while (!pattern.test(this.text.slice(from))) {
      await new Promise<void>((resolve, reject) => {
        this.#onText = resolve;
        const late = () =>
          reject(new Error(`${pattern} did not show in ${JSON.stringify(this.text.slice(from))}`));
        deadline.addEventListener('abort', late, { once: true });
      });
    }
  }
}
