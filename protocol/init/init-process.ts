import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import type {
  MachineProcessEvent,
  MachineProcessExit,
  MachineProcessListener,
  OnArrival,
} from '../machine-process.ts';
import type { ProcessHandle } from '../sandbox/processes.ts';
import { type HostFrame, stdinChunkBytes } from './host-frames.ts';
import type { ExitFrame, InitFrame } from './init-frames.ts';
import { joinSmall } from './join-small.ts';
import { signalName, signalNumber } from './signals.ts';

type OutputEvent = Exclude<MachineProcessEvent, MachineProcessExit>;

/** A queued event, and the bytes of the window that it takes. */
interface Waiting {
  event: MachineProcessEvent;
  windowBytes: number;
}

type KillSignal = NonNullable<Parameters<ProcessHandle['kill']>[0]>;

/** Right after a resync, output that waited in init's queue may exceed the window. */
const resyncSlackBytes = 524_288;
/** So many events wait in the order in which they came; from then on output and errors are joined across each other. */
const orderedEvents = 1_024;
/** More than a window of joined pieces can be, whoever writes them. */
const mostEvents = 4_096;
const endOfTransmission = Uint8Array.of(4);

export interface InitProcessOptions {
  readonly id: number;
  readonly pty: boolean;
  readonly listener: MachineProcessListener;
  readonly arrived?: OnArrival | undefined;
  readonly send: (frame: HostFrame) => Promise<void>;
}

/** One process: its standard files and its status descriptor with their credit, and its end. */
export class InitProcess implements ProcessHandle {
  readonly id: number;
  pid = 0;
  readonly #pty: boolean;
  readonly #listener: MachineProcessListener;
  readonly #arrived: OnArrival;
  readonly #send: (frame: HostFrame) => Promise<void>;

  /** Events that the listener has not taken; bounded by the window that init was granted. */
  readonly #events: Waiting[] = [];
  #delivering = false;
  /** Bytes received that were not granted anew. */
  #outstanding = 0;
  /** Bytes that the listener has taken since the last grant. */
  #consumed = 0;

  #stdinCredit = 0;
  #onCredit: (() => void) | undefined;
  /** Writes go one after the other. */
  #lastWrite: Promise<void> = Promise.resolve();
  /** How often the machine was restored: what is left of a write before that is not for the process that goes on. */
  #restores = 0;
  #ended: SandboxError | undefined;

  constructor({ id, pty, listener, arrived, send }: InitProcessOptions) {
    this.id = id;
    this.#pty = pty;
    this.#listener = listener;
    this.#arrived = arrived ?? ((bytes) => bytes);
    this.#send = send;
  }

  /** Sets the state after STARTED, or after ATTACHED, when init has no credit left. */
  begin(state: { pid: number; stdinCredit: number; resumed: boolean }): void {
    this.pid = state.pid;
    this.#stdinCredit = state.stdinCredit;
    if (state.resumed) this.#restores++;
    this.#onCredit?.();
    if (!state.resumed) return;
    this.#consumed = 0;
    const queued = this.#events.reduce((sum, { windowBytes }) => sum + windowBytes, 0);
    this.#outstanding = queued;
    void this.#tell({ type: 'credit', id: this.id, bytes: Math.max(0, limits.streamWindowBytes - queued) });
  }

  /** Takes a frame of this stream. @throws protocol-violation when init exceeds its window */
  accept(frame: InitFrame): void {
    if (frame.type === 'stdout' || frame.type === 'stderr' || frame.type === 'status') {
      this.#outstanding += frame.bytes.length;
      if (this.#outstanding > limits.streamWindowBytes + resyncSlackBytes) {
        throw new SandboxError(
          'protocol-violation',
          `Cannot read from init: stream ${this.id} exceeds its window`,
        );
      }
      this.#take(frame);
    } else if (frame.type === 'credit') {
      this.#stdinCredit += frame.bytes;
      this.#onCredit?.();
    } else if (frame.type === 'exit') {
      this.#end(exitEvent(frame));
    }
  }

  /** Drops what the listener has not taken. */
  forgetOutput(): void {
    const ends = this.#events.filter(({ event }) => event.type === 'exit');
    this.#events.splice(0, this.#events.length, ...ends);
    this.#outstanding = 0;
  }

  /** Ends it because the machine or the connection is gone. */
  fail(reason: 'machine-failed' | 'checkout'): void {
    const unknown = { exitCode: -1, signal: undefined, durationMs: 0, cpuMs: 0, maxRssBytes: 0 };
    this.#end({ type: 'exit', reason, ...unknown });
  }

  /** @throws not-found once it has ended; connection-lost where the machine is restored before all is written */
  async write(bytes: Uint8Array): Promise<void> {
    const before = this.#lastWrite;
    const restores = this.#restores;
    this.#lastWrite = (async () => {
      await before.catch(() => undefined);
      await this.#writeNow(bytes, restores);
    })();
    return this.#lastWrite;
  }

  async closeStdin(): Promise<void> {
    if (this.#pty) return this.write(endOfTransmission);
    await this.#lastWrite.catch(() => undefined);
    await this.#tell({ type: 'stdinEnd', id: this.id });
  }

  async resize({ columns, rows }: { columns: number; rows: number }): Promise<void> {
    await this.#tell({ type: 'resize', id: this.id, columns, rows });
  }

  /** Sends it SIGWINCH, which `resize` does only if the size differs. */
  async windowChanged(): Promise<void> {
    await this.#tell({ type: 'signal', id: this.id, signal: signalNumber('SIGWINCH') });
  }

  async kill(signal: KillSignal = 'SIGKILL'): Promise<void> {
    await this.#tell({ type: 'signal', id: this.id, signal: signalNumber(signal) });
    // Also end the terminal's input: a shell that is about to read notices the signal only when the read
    // returns. Not awaited: a program that does not read may never take it.
    if (this.#pty && signal === 'SIGHUP') this.write(endOfTransmission).catch(() => undefined);
  }

  /** Kills the session and lets init forget it; the exit event still comes (H-8). */
  async close(): Promise<void> {
    await this.#tell({ type: 'close', id: this.id });
  }

  async #writeNow(bytes: Uint8Array, restores: number): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      while (this.#stdinCredit === 0 && restores === this.#restores) await this.#waitForCredit();
      if (this.#ended) throw this.#ended;
      if (restores !== this.#restores) {
        const message = `Cannot write to process ${this.pid}: the machine was restored`;
        throw new SandboxError('connection-lost', message);
      }
      const end = Math.min(bytes.length, at + Math.min(this.#stdinCredit, stdinChunkBytes));
      this.#stdinCredit -= end - at;
      await this.#send({ type: 'stdin', id: this.id, bytes: bytes.subarray(at, end) });
      at = end;
    }
  }

  async #waitForCredit(): Promise<void> {
    if (this.#ended) throw this.#ended;
    await new Promise<void>((resolve) => {
      this.#onCredit = resolve;
    });
    this.#onCredit = undefined;
    if (this.#ended) throw this.#ended;
  }

  /** A process that is gone has nothing to be told. */
  async #tell(frame: HostFrame): Promise<void> {
    if (!this.#ended) await this.#send(frame);
  }

  #end(event: MachineProcessExit): void {
    if (this.#ended) return;
    this.#ended = new SandboxError('not-found', `Cannot write to process ${this.pid}: it has ended`);
    this.#onCredit?.();
    this.#deliver({ event, windowBytes: 0 });
  }

  #take({ type, bytes }: OutputEvent): void {
    try {
      const event = { type, bytes: type === 'status' ? bytes : this.#arrived(bytes) };
      if (this.#join(event, bytes.length)) return;
      if (this.#events.length < mostEvents) this.#deliver({ event, windowBytes: bytes.length });
      else this.#giveUp();
    } catch {
      this.#giveUp();
    }
  }

  /** Adds small output to some of its kind that waits. */
  #join({ type, bytes }: OutputEvent, windowBytes: number): boolean {
    const last = this.#events.at(-1);
    const isCrossed =
      this.#events.length >= orderedEvents && type !== 'status' && last?.event.type !== 'status';
    const waiting = last?.event.type !== type && isCrossed ? this.#events.at(-2) : last;
    if (waiting?.event.type !== type) return false;
    const joined = joinSmall(waiting.event.bytes, bytes);
    if (!joined) return false;
    waiting.event = { type, bytes: joined };
    waiting.windowBytes += windowBytes;
    return true;
  }

  #deliver(waiting: Waiting): void {
    this.#events.push(waiting);
    if (!this.#delivering) void this.#run();
  }

  async #run(): Promise<void> {
    this.#delivering = true;
    for (let next = this.#events.shift(); next; next = this.#events.shift()) {
      const { event, windowBytes } = next;
      try {
        const taking = this.#listener(event);
        if (taking) await taking;
        if (windowBytes > 0) this.#grant(windowBytes);
      } catch {
        if (event.type !== 'exit') this.#giveUp();
      }
    }
    this.#delivering = false;
  }

  /** Whoever cannot take its output has given up (H-8); the exit event finds it again. */
  #giveUp(): void {
    this.close().catch(() => undefined);
  }

  #grant(bytes: number): void {
    this.#consumed += bytes;
    if (this.#consumed < limits.streamWindowBytes / 4) return;
    const consumed = this.#consumed;
    this.#consumed = 0;
    this.#outstanding -= consumed;
    // A connection that is lost is reported to everyone by the client.
    this.#tell({ type: 'credit', id: this.id, bytes: consumed }).catch(() => undefined);
  }
}

function exitEvent(frame: ExitFrame): MachineProcessExit {
  return {
    type: 'exit',
    // As a shell reports it.
    exitCode: frame.signal === 0 ? frame.code : 128 + frame.signal,
    signal: frame.signal === 0 ? undefined : signalName(frame.signal),
    reason: frame.reason,
    durationMs: frame.durationUs / 1000,
    cpuMs: (frame.userUs + frame.systemUs) / 1000,
    maxRssBytes: frame.maxRssKib * 1024,
  };
}
