import { commandArguments } from '../../protocol/command-arguments.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { MachineProcessExit, MachineProcessListener } from '../../protocol/machine-process.ts';
import type { ExecRequest, ProcessHandle } from '../../protocol/sandbox/processes.ts';
import { webcontainerLimits } from './limits.ts';

/** A file beside the files of the sandbox. */
export interface InputFile {
  /** Within the root. */
  readonly name: string;
  remove(): Promise<void>;
}

interface InputProcessParts {
  readonly pid: number;
  readonly request: ExecRequest;
  readonly listener: MachineProcessListener;
  /** Starts a process without input. */
  readonly start: (request: ExecRequest, listener: MachineProcessListener) => Promise<ProcessHandle>;
  readonly makeFile: (bytes: Uint8Array<ArrayBuffer>) => Promise<InputFile>;
}

/**
 * A process that reads its input from a file, as WebContainer has input for terminals only: it begins when its input has
 * ended. Ends with one `exit` event.
 */
export class InputProcess implements ProcessHandle {
  readonly pid: number;
  readonly #parts: InputProcessParts;
  readonly #startedAtMs: number = performance.now();
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #state: 'waits' | 'begins' | 'ended' = 'waits';
  #process: ProcessHandle | undefined;
  /** How it is to end that was ended while it was about to begin. */
  #endEarly: Ending | undefined;

  constructor(parts: InputProcessParts) {
    this.#parts = parts;
    this.pid = parts.pid;
  }

  get isWaiting(): boolean {
    return this.#state === 'waits';
  }

  /** @throws not-found once its input has ended; limit-exceeded */
  async write(bytes: Uint8Array): Promise<void> {
    if (!this.isWaiting) {
      throw new SandboxError('not-found', `Cannot write to process ${this.pid}: its input has ended`);
    }
    const { inputBytes } = webcontainerLimits;
    if (this.#bytes + bytes.length > inputBytes) {
      const message = `Cannot write to process ${this.pid}: its input has more than ${inputBytes} bytes. Write a file instead`;
      throw new SandboxError('limit-exceeded', message, { details: { limitBytes: inputBytes } });
    }
    this.#bytes += bytes.length;
    this.#pieces.push(Uint8Array.from(bytes));
  }

  async closeStdin(): Promise<void> {
    if (!this.isWaiting) return;
    this.#state = 'begins';
    const input = await new Blob(this.#pieces).arrayBuffer();
    this.#pieces = [];
    try {
      await this.#begin(new Uint8Array(input));
    } catch (cause) {
      const { message } = SandboxError.from(cause);
      await this.#parts.listener({ type: 'stderr', bytes: new TextEncoder().encode(`${message}\n`) });
      await this.#end({ exitCode: 127, signal: undefined, reason: 'exited' });
    }
  }

  async resize(): Promise<void> {}

  async kill(signal: Parameters<ProcessHandle['kill']>[0] = 'SIGKILL'): Promise<void> {
    if (this.isWaiting) await this.#end(killedBy(signal));
    else if (this.#process) await this.#process.kill(signal);
    else this.#endEarly = killedBy(signal);
  }

  /** Ends one that has not begun, or is about to; one that has is ended as others are. */
  async close(reason: MachineProcessExit['reason']): Promise<void> {
    const how: Ending = { exitCode: -1, signal: undefined, reason };
    if (this.isWaiting) await this.#end(how);
    else if (this.#process === undefined) this.#endEarly = how;
  }

  async #begin(input: Uint8Array<ArrayBuffer>): Promise<void> {
    const { start, makeFile, request, listener } = this.#parts;
    const file = await makeFile(input);
    const remove = (): Promise<void> => file.remove().catch(() => undefined); // It goes with the container.
    const { stdin: _, ...rest } = request;
    try {
      if (this.#endEarly) {
        await remove();
        return await this.#end(this.#endEarly);
      }
      this.#process = await start({ ...rest, command: fromFile(request, file.name) }, async (event) => {
        if (event.type === 'exit') {
          this.#state = 'ended';
          await remove();
        }
        await listener(event);
      });
      await this.#killWhereEnded(this.#process);
    } catch (cause) {
      await remove();
      throw cause;
    }
  }

  /** One that was ended while it was being started. */
  async #killWhereEnded(process: ProcessHandle): Promise<void> {
    if (this.#endEarly) await process.kill(this.#endEarly.signal ?? 'SIGKILL');
  }

  async #end(how: Ending): Promise<void> {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#pieces = [];
    const durationMs = performance.now() - this.#startedAtMs;
    await this.#parts.listener({ type: 'exit', ...how, durationMs, cpuMs: 0, maxRssBytes: 0 });
  }
}

type Ending = Pick<MachineProcessExit, 'exitCode' | 'reason'> & {
  readonly signal: Parameters<ProcessHandle['kill']>[0];
};

function killedBy(signal: Ending['signal']): Ending {
  return { exitCode: 143, signal, reason: 'signalled' };
}

/** A pipe is all that WebContainer's shell is known to have, and `sh` is there for the scripts of npm. */
function fromFile(request: ExecRequest, name: string): string {
  const depth = (request.cwd ?? '/').split('/').filter((part) => part !== '' && part !== '.').length;
  const words = commandArguments(request).argv.map((word) => word.replace(/^(\/usr)?\/bin\/(ba)?sh$/, 'sh'));
  return `cat ${quote('../'.repeat(depth) + name)} | ${words.map(quote).join(' ')}`;
}

function quote(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
