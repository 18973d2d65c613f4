import type { MachineProcessEvent, MachineProcessExit } from '../../../protocol/machine-process.ts';
import type { ProcessHandle } from '../../../protocol/sandbox/processes.ts';
import type { GuestMachine } from '../../../web/worker/machine/guest-machine.ts';

const size = { columns: 80, rows: 24 };

/** A terminal in which python adds up: its number is the guest's memory, and ours. */
export class Terminal {
  /** What python holds. */
  number = 1;
  /** It says something before it is known. */
  #process: ProcessHandle | undefined;
  readonly #decoder = new TextDecoder();
  #output = '';
  #onOutput = (): void => {};
  #onExit = (_: MachineProcessExit): void => {};

  private constructor() {}

  /** What it has said since it was last told something. */
  get said(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#known.pid;
  }

  get #known(): ProcessHandle {
    if (!this.#process) throw new Error('The terminal was not opened');
    return this.#process;
  }

  /** The one of a machine that goes on from where another was, where python held `number`. */
  static async adopt(
    guest: GuestMachine,
    { pid, number }: { pid: number; number: number },
  ): Promise<Terminal> {
    let shell = guest.takeShell();
    while (shell && shell.pid !== pid) shell = guest.takeShell();
    if (!shell) throw new Error('The terminal is not in the fork');
    const terminal = new Terminal();
    terminal.#process = await shell.adopt((event) => terminal.#take(event), { size });
    terminal.number = number;
    return terminal;
  }

  static async open(guest: GuestMachine): Promise<Terminal> {
    const terminal = new Terminal();
    terminal.#process = await guest.init.exec({ command: 'exec python3 -q', pty: size }, (event) =>
      terminal.#take(event),
    );
    await terminal.#tell('x = 1; print(f"<{x}>")', '<1>');
    return terminal;
  }

  /** Has python go one step on. Resolves once it has printed the number that it must hold then. */
  async step(): Promise<void> {
    this.number = (this.number * 7 + 1) % 1_000_003;
    await this.#tell('x = (x * 7 + 1) % 1000003; print(f"<{x}>")', `<${this.number}>`);
  }

  async #tell(line: string, answer: string): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => {
      this.#onExit = ({ exitCode, signal }) =>
        reject(new Error(`python has ended: status ${exitCode}, signal ${signal}`));
      this.#onOutput = () => {
        if (this.#output.includes(answer)) resolve();
      };
    });
    answered.catch(() => undefined); // Told to who writes.
    this.#output = '';
    await this.#known.write(new TextEncoder().encode(`${line}\n`));
    await answered;
  }

  #take(event: MachineProcessEvent): void {
    if (event.type === 'exit') {
      this.#onExit(event);
      return;
    }
    this.#output += this.#decoder.decode(event.bytes, { stream: true });
    this.#onOutput();
  }
}
