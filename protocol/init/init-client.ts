import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { MachineProcessListener, OnArrival } from '../machine-process.ts';
import type { ByteStream } from '../sandbox/network.ts';
import type { ExecRequest } from '../sandbox/processes.ts';
import type { ByteChannel } from './byte-channel.ts';
import { execFrame } from './exec-frame.ts';
import { FrameParser } from './frame-parser.ts';
import { type Greeting, makeGreeting } from './greeting.ts';
import { type ConnectFrame, type ExecFrame, encodeHostFrame, type HostFrame } from './host-frames.ts';
import { InitConnection } from './init-connection.ts';
import { connectError, initError } from './init-errors.ts';
import {
  type AttachedFrame,
  decodeInitFrame,
  type ErrorFrame,
  type HelloFrame,
  type InitFrame,
  type ProcessInfo,
  type RawFrame,
} from './init-frames.ts';
import { InitProcess } from './init-process.ts';
import { type CallOptions, PendingRequests } from './pending-requests.ts';
import { SendQueue } from './send-queue.ts';
import { type StreamFrame, UnclaimedFrames } from './unclaimed-frames.ts';

/** Interval at which HELLO is repeated, because a machine that is still starting does not receive it. */
const helloAgainMs = 100;
const helloAtMostEveryMs = 20;
/** The id under which the answer to HELLO is awaited; no request has it. */
const helloId = 0;

export interface HelloOptions extends CallOptions {
  /** The exit reason of processes that init does not have. */
  readonly gone?: 'machine-failed' | 'checkout';
  /**
   * The machine was restored to an instant at which all of its output had been received, so output before the
   * answer is new.
   */
  readonly goesOn?: boolean;
}

/** An init's answer to HELLO. */
export interface InitHello {
  readonly version: number;
  /** Changes when init is started again, but not by a restore. */
  readonly bootId: string;
  readonly capabilities: {
    readonly pty: boolean;
    readonly mount: boolean;
    readonly system: boolean;
    /** `ExecOptions.hasStatus` */
    readonly status: boolean;
  };
  /** Processes that this client does not know: `adopt` or `release` each. */
  readonly attached: readonly AttachedFrame[];
}

export interface OutputOptions {
  /** Called with output as it arrives, before the listener. */
  readonly arrived?: OnArrival | undefined;
}

export interface ExecOptions extends CallOptions, OutputOptions {
  /** Descriptor 3 of the process is a pipe whose bytes come as `status` events. Not with a terminal. */
  readonly hasStatus?: boolean | undefined;
}

export interface MountRequest {
  /** The 9P mount tag. */
  readonly tag: string;
  /** Options of the 9p file system, such as `trans=virtio,version=9p2000.L,cache=loose`. */
  readonly options: string;
  /** A tmpfs on /tmp; without it, /tmp is part of the tree and of every snapshot. */
  readonly temporaryFiles?: boolean;
}

/**
 * The host's side of one init. Say `hello` first, and again after the machine was restored: then
 * requests under way are rejected, processes that were running at that instant go on, the others
 * end with `machine-failed`. Every call rejects with a `SandboxError`.
 */
export class InitClient {
  readonly #sending: SendQueue;
  readonly #parser: FrameParser;
  readonly #requests = new PendingRequests();
  readonly #processes = new Map<number, InitProcess>();
  readonly #unclaimed = new UnclaimedFrames();
  /** Ids of streams that another client began. */
  #foreignIds: ReadonlySet<number> = new Set();
  readonly #onLog: (text: string) => void;
  #lastId = 0;
  #closed: SandboxError | undefined;

  #greeting: Greeting = makeGreeting();
  /** Never the nonce of an earlier HELLO, whose answer may still arrive. */
  #nextGreeting: Greeting | undefined;
  #helloSentAt = Number.NEGATIVE_INFINITY;
  #hello: HelloFrame | undefined;
  #attached: AttachedFrame[] = [];
  /** As of the last answer to HELLO. */
  #capabilities: InitHello['capabilities'] | undefined;

  /**
   * `takesOver`: init served another client before, whose last requests it may still be carrying out. Ids then
   * start at a random number, so that they differ from that client's.
   */
  constructor(channel: ByteChannel, options: { onLog?: (text: string) => void; takesOver?: boolean } = {}) {
    if (options.takesOver) this.#lastId = (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) >>> 1;
    this.#onLog = options.onLog ?? (() => undefined);
    this.#parser = new FrameParser((frame) => this.#accept(frame));
    this.#sending = new SendQueue(channel, (reason) => this.close(reason));
    channel.receive = (bytes) => this.#receive(bytes);
  }

  /** Connects to init, or reconnects after a restore. @throws timeout, version-mismatch */
  async hello({
    gone = 'machine-failed',
    goesOn = false,
    ...options
  }: HelloOptions = {}): Promise<InitHello> {
    this.#throwIfClosed();
    this.#requests.rejectAll(() => lost('the machine was restored'));
    this.#greeting = this.#nextGreeting ?? makeGreeting();
    this.#nextGreeting = undefined;
    this.#helloSentAt = Number.NEGATIVE_INFINITY;
    this.#hello = undefined;
    this.#attached = [];
    this.#unclaimed.clear();
    this.#parser.seek(this.#greeting.beacon, goesOn ? (frame) => this.#acceptEarly(frame) : undefined);
    const answered = this.#requests.wait(helloId, 'reach init', options);
    this.#sayHello();
    const timer = setInterval(() => this.#sayHello(), helloAgainMs);
    try {
      const hello = await answered;
      if (hello.type !== 'hello') throw unexpected(hello);
      this.#nextGreeting = makeGreeting();
      return this.#resume(hello, gone);
    } finally {
      clearInterval(timer);
    }
  }

  /** The machine is held: until `goOn` init cannot answer, and no timeout runs. */
  hold(): void {
    this.#requests.hold();
  }

  goOn(): void {
    this.#requests.goOn();
  }

  /** Discards buffered process output: it came from the machine before the restore. */
  forgetOutput(): void {
    for (const process of this.#processes.values()) process.forgetOutput();
  }

  /** Whether init has answered all requests, and no process that this client knows is running. */
  get isQuiet(): boolean {
    return this.#requests.areSettled && this.#processes.size === 0 && this.#sending.isIdle;
  }

  /** Mounts a 9P tree as the root of all processes; the user's home is made on the first start. */
  async mount(request: MountRequest, options: CallOptions = {}): Promise<void> {
    const { tag, options: text, temporaryFiles = false } = request;
    await this.#request(
      (id) => ({ type: 'mount', id, temporaryFiles, tag, options: text }),
      'mount',
      options,
    );
  }

  /** Kills every process, then unmounts the root (H-5). */
  async unmount(options: CallOptions = {}): Promise<void> {
    await this.#request((id) => ({ type: 'unmount', id }), 'unmount', options);
  }

  /**
   * Starts a process. Resolves when its program runs; events may come before that. The signal
   * holds for as long as it runs: aborted, it is killed and forgotten by init (H-8).
   * @throws not-found when program or working directory do not exist, busy when too many run, unsupported for the
   * status descriptor of an older init
   */
  async exec(
    request: ExecRequest,
    listener: MachineProcessListener,
    { hasStatus, ...options }: ExecOptions = {},
  ): Promise<InitProcess> {
    this.#throwIfClosed();
    if (hasStatus && !this.#capabilities?.status) throw noStatus();
    return this.#start(execFrame(this.#nextId(), request, { hasStatus }), listener, options);
  }

  /**
   * Connects to a TCP port of the machine's loopback.
   * @throws not-found when nothing listens there, timeout, busy when too many processes run, unsupported by an older init
   */
  async connect(port: number, options: CallOptions = {}): Promise<ByteStream> {
    this.#throwIfClosed();
    const { streamWindowBytes: windowBytes } = limits;
    const frame: ConnectFrame = { type: 'connect', id: this.#nextId(), port, windowBytes };
    return InitConnection.open((listener) => this.#start(frame, listener, options));
  }

  async #start(
    frame: ExecFrame | ConnectFrame,
    listener: MachineProcessListener,
    { arrived, ...options }: CallOptions & OutputOptions,
  ): Promise<InitProcess> {
    const { signal } = options;
    const onAbort = (): void => void process.close().catch(() => undefined);
    const taken: MachineProcessListener = (event) => {
      if (event.type === 'exit') signal?.removeEventListener('abort', onAbort);
      return listener(event);
    };
    const { id, type } = frame;
    const process = this.#open({ id, pty: type === 'exec' && frame.pty }, { listener: taken, arrived });
    try {
      const what = type === 'exec' ? 'start a process' : `connect to port ${frame.port}`;
      const started = this.#requests.wait(id, what, options);
      this.#send(frame).catch((error: unknown) => this.#requests.reject(frame.id, SandboxError.from(error)));
      const answer = await started;
      if (answer.type === 'error') {
        throw type === 'exec'
          ? initError(answer, subjectOf(answer, frame))
          : connectError(answer, frame.port);
      }
    } catch (error) {
      this.#processes.delete(frame.id);
      if (!this.#closed) await process.close().catch(() => undefined);
      throw error;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    return process;
  }

  /** Adopts a process that was running before this client connected. */
  adopt(
    attached: AttachedFrame,
    listener: MachineProcessListener,
    { arrived }: OutputOptions = {},
  ): InitProcess {
    this.#throwIfClosed();
    const { pid, stdinCredit } = attached;
    const process = this.#open(attached, { listener, arrived });
    for (const frame of this.#unclaimed.take(attached.id)) process.accept(frame);
    process.begin({ pid, stdinCredit, resumed: true });
    return process;
  }

  /** Kills a process that no client adopts. */
  async release(attached: AttachedFrame): Promise<void> {
    this.#unclaimed.take(attached.id);
    await this.#send({ type: 'close', id: attached.id });
  }

  /** Sets the machine's clock. */
  async setClock(epochNs: bigint, options: CallOptions = {}): Promise<void> {
    await this.#request((id) => ({ type: 'setClock', id, epochNs }), 'set the clock', options);
  }

  /** Mixes up to 256 bytes into the machine's random numbers and reseeds them, and gives it another machine id (H-7). */
  async addEntropy(bytes: Uint8Array, options: CallOptions = {}): Promise<void> {
    await this.#request((id) => ({ type: 'addEntropy', id, bytes }), 'add entropy', options);
  }

  /** Resolves when everything written to the root so far has reached the host's tree. */
  async sync(options: CallOptions = {}): Promise<void> {
    await this.#request((id) => ({ type: 'sync', id }), 'write the files back', options);
  }

  /** Drops the machine's file caches. */
  async dropCaches(options: CallOptions = {}): Promise<void> {
    await this.#request((id) => ({ type: 'dropCaches', id }), 'drop caches', options);
  }

  async setHostname(name: string, options: CallOptions = {}): Promise<void> {
    await this.#request((id) => ({ type: 'setHostname', id, name }), 'set the host name', options);
  }

  async ping(options: CallOptions = {}): Promise<void> {
    await this.#request((id) => ({ type: 'ping', id }), 'ping init', options);
  }

  /** Running processes; `complete` is false when there are more than a frame holds. */
  async list(options: CallOptions = {}): Promise<{ complete: boolean; processes: readonly ProcessInfo[] }> {
    const answer = await this.#request((id) => ({ type: 'list', id }), 'list processes', options);
    if (answer.type !== 'processes') throw unexpected(answer);
    return answer;
  }

  /** Ends everything: SIGTERM, after `graceMs` SIGKILL, then the machine or the agent itself. */
  async shutdown({ graceMs = 2000, ...options }: CallOptions & { graceMs?: number } = {}): Promise<void> {
    await this.#request((id) => ({ type: 'shutdown', id, graceMs }), 'shut down', options);
  }

  /**
   * Closes the connection: pending requests reject with `connection-lost`, and listeners are told that their
   * processes ended.
   */
  close(reason: unknown): void {
    if (this.#closed) return;
    const text = reason instanceof Error ? reason.message : String(reason);
    this.#closed = new SandboxError('connection-lost', `Cannot reach init: ${text}`, { cause: reason });
    this.#sending.close(this.#closed);
    const closed = this.#closed;
    this.#requests.rejectAll(() => closed);
    for (const process of [...this.#processes.values()]) process.fail('machine-failed');
  }

  #receive(bytes: Uint8Array): void {
    if (this.#closed) return;
    try {
      this.#parser.push(bytes);
    } catch (error) {
      this.close(error);
      return;
    }
    if (!this.#parser.inStep) this.#sayHello();
  }

  #accept(raw: RawFrame): void {
    const frame = decodeInitFrame(raw);
    switch (frame.type) {
      case 'log':
        this.#onLog(frame.text);
        break;
      case 'hello':
        this.#hello = frame;
        this.#attached = [];
        this.#settleHello();
        break;
      case 'attached':
        if (this.#attached.length >= limits.processes) throw unexpected(frame);
        this.#attached.push(frame);
        this.#settleHello();
        break;
      case 'started':
        this.#processes.get(frame.id)?.begin({ ...frame, resumed: false });
        this.#requests.settle(frame.id, frame);
        break;
      case 'credit':
        this.#processes.get(frame.id)?.accept(frame);
        break;
      case 'stdout':
      case 'stderr':
      case 'status':
      case 'exit':
        this.#acceptOutput(frame);
        break;
      case 'error':
        if (!this.#requests.has(frame.id)) this.#onLog(`init: ${frame.text} (errno ${frame.errno})`);
        this.#requests.settle(frame.id, frame);
        break;
      default:
        this.#requests.settle(frame.id, frame);
    }
  }

  /** Frames before the answer to HELLO that can be ignored, since the answer has the current state. */
  #acceptEarly(raw: RawFrame): void {
    const frame = decodeInitFrame(raw);
    switch (frame.type) {
      case 'stdout':
      case 'stderr':
      case 'status':
      case 'exit':
        this.#acceptOutput(frame);
    }
  }

  #acceptOutput(frame: StreamFrame): void {
    const process = this.#processes.get(frame.id);
    if (process) process.accept(frame);
    else this.#unclaimed.add(frame);
  }

  #sayHello(): void {
    const now = performance.now();
    if (!this.#sending.isIdle || now - this.#helloSentAt < helloAtMostEveryMs) return;
    this.#helloSentAt = now;
    this.#sending
      .send(this.#greeting.bytes.slice())
      .catch((error: unknown) => this.#requests.reject(helloId, SandboxError.from(error)));
  }

  #settleHello(): void {
    const hello = this.#hello;
    if (hello && this.#attached.length === hello.attached) this.#requests.settle(helloId, hello);
  }

  /** Matches running processes with those that this client knows. */
  #resume(hello: HelloFrame, gone: 'machine-failed' | 'checkout'): InitHello {
    const strangers: AttachedFrame[] = [];
    const known = new Map(this.#processes);
    for (const attached of this.#attached) {
      const process = known.get(attached.id);
      if (process?.pid === attached.pid) {
        known.delete(attached.id);
        process.begin({ ...attached, resumed: true });
      } else {
        strangers.push(attached);
      }
    }
    this.#foreignIds = new Set(strangers.map(({ id }) => id));
    this.#unclaimed.keepOnly([...this.#foreignIds]);
    for (const process of known.values()) process.fail(gone);
    const { version, bootId, capabilities: bits } = hello;
    const capabilities = {
      pty: (bits & 1) !== 0,
      mount: (bits & 2) !== 0,
      system: (bits & 4) !== 0,
      status: (bits & 8) !== 0,
    };
    this.#capabilities = capabilities;
    return { version, bootId, capabilities, attached: strangers };
  }

  /** A process that is known until it has ended. */
  #open(
    { id, pty }: { id: number; pty: boolean },
    { listener, arrived }: OutputOptions & { listener: MachineProcessListener },
  ): InitProcess {
    const process = new InitProcess({
      id,
      pty,
      arrived,
      send: (frame) => this.#send(frame),
      listener: (event) => {
        if (event.type === 'exit') this.#processes.delete(id);
        return listener(event);
      },
    });
    this.#processes.set(id, process);
    return process;
  }

  async #request(make: (id: number) => HostFrame, what: string, options: CallOptions): Promise<InitFrame> {
    this.#throwIfClosed();
    const id = this.#nextId();
    const answer = this.#requests.wait(id, what, options);
    this.#send(make(id)).catch((error: unknown) => this.#requests.reject(id, SandboxError.from(error)));
    const frame = await answer;
    if (frame.type === 'error') throw initError(frame);
    return frame;
  }

  async #send(frame: HostFrame): Promise<void> {
    this.#throwIfClosed();
    await this.#sending.send(encodeHostFrame(frame));
  }

  #nextId(): number {
    do {
      this.#lastId = this.#lastId >= 0xffff_fffe ? 1 : this.#lastId + 1;
    } while (this.#isTaken(this.#lastId));
    return this.#lastId;
  }

  #isTaken(id: number): boolean {
    return this.#processes.has(id) || this.#requests.has(id) || this.#foreignIds.has(id);
  }

  #throwIfClosed(): void {
    if (this.#closed) throw this.#closed;
  }
}

function lost(why: string): SandboxError {
  return new SandboxError('connection-lost', `Cannot reach init: ${why}`);
}

function noStatus(): SandboxError {
  const why = 'the machine was started by an older version: start it anew';
  return new SandboxError('unsupported', `Cannot give the process a status descriptor: ${why}`, {
    details: { feature: 'shells' },
  });
}

function unexpected(frame: InitFrame): SandboxError {
  return new SandboxError('protocol-violation', `Cannot read from init: unexpected ${frame.type} frame`);
}

/** The name of what is at fault, where init says what that is. */
function subjectOf({ subject }: ErrorFrame, { argv, cwd }: ExecFrame): string | undefined {
  if (subject === undefined) return undefined;
  return subject === 'program' ? argv[0] : cwd;
}
