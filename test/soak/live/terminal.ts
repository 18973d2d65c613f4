import type { InitProcess } from '../../../protocol/init/init-process.ts';
import type { GuestMachine } from '../../../web/worker/guest-machine.ts';

/** A terminal in which python adds up: its number is the guest's memory, and ours. */
export class Terminal {
  /** What python holds. */
  number = 1;
  readonly #process: InitProcess;
  #output = '';
  #onOutput = (): void => {};

  private constructor(process: InitProcess) {
    this.#process = process;
  }

  /** What it has said since it was last told something. */
  get said(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** The one of a machine that goes on from where another was, where python held `number`. */
  static adopt(guest: GuestMachine, { pid, number }: { pid: number; number: number }): Terminal {
    const decoder = new TextDecoder();
    let shell = guest.takeShell();
    while (shell && shell.attached.pid !== pid) shell = guest.takeShell();
    if (!shell) throw new Error('The terminal is not in the fork');
    const terminal: Terminal = new Terminal(
      guest.init.adopt(shell.attached, (event) => {
        if (event.type !== 'exit') terminal.#push(decoder.decode(event.bytes, { stream: true }));
      }),
    );
    terminal.number = number;
    return terminal;
  }

  static async open(guest: GuestMachine): Promise<Terminal> {
    const decoder = new TextDecoder();
    const early: string[] = [];
    let terminal: Terminal | undefined;
    const process = await guest.init.exec(
      { command: 'exec python3 -q', pty: { columns: 80, rows: 24 } },
      (event) => {
        if (event.type === 'exit') return;
        const text = decoder.decode(event.bytes, { stream: true });
        if (terminal) terminal.#push(text);
        else early.push(text);
      },
    );
    terminal = new Terminal(process);
    for (const text of early) terminal.#push(text);
    await terminal.#tell('x = 1; print(f"<{x}>")', '<1>');
    return terminal;
  }

  /** Has python go one step on. Resolves once it has printed the number that it must hold then. */
  async step(): Promise<void> {
    this.number = (this.number * 7 + 1) % 1_000_003;
    await this.#tell('x = (x * 7 + 1) % 1000003; print(f"<{x}>")', `<${this.number}>`);
  }

  async #tell(line: string, answer: string): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.#onOutput = () => {
        if (this.#output.includes(answer)) resolve();
      };
    });
    this.#output = '';
    await this.#process.write(new TextEncoder().encode(`${line}\n`));
    await answered;
  }

  #push(text: string): void {
    this.#output += text;
    this.#onOutput();
  }
}
