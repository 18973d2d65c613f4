import type { Socket } from 'node:net';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { serveWire } from '../../protocol/wire/server/serve-wire.ts';
import type { WireSession } from '../../protocol/wire/server/wire-session.ts';
import { streamTransport } from '../../protocol/wire/transports/stream-transport.ts';
import { LineReader } from './line-reader.ts';
import { type ControlRequest, parseRequest, toLine } from './messages.ts';
import { operations } from './operations.ts';
import type { ControlService } from './service.ts';

/** A client that is connected. */
export interface ServedClient {
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<void>;
  /** Ends what it has begun, and the connection. */
  close(): Promise<void>;
}

/** Answers the requests of one client until it goes, or says what it must not. The socket is owned from now on. */
export function serveClient(socket: Socket, service: ControlService): ServedClient {
  const client = new Client(socket, service);
  return { ended: client.ended, close: () => client.close() };
}

class Client {
  readonly #socket: Socket;
  readonly #service: ControlService;
  readonly #reader = new LineReader(limits.controlLineBytes);
  readonly #requests = new Map<number, { readonly abort: AbortController; readonly done: Promise<void> }>();
  readonly #ended = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the timer counts from the beginning of a line: bytes that come later do not begin it anew. */
  #isTimingLine = false;
  /** Since the connection speaks the wire protocol. */
  #wire: WireSession | undefined;
  #isOver = false;
  #hasSpoken = false;
  /** Asks in turns whether a client that has closed its side is still there. */
  #probe: NodeJS.Timeout | undefined;
  #room = Promise.withResolvers<void>();
  readonly #onData = (bytes: Buffer): void => this.#read(bytes);

  constructor(socket: Socket, service: ControlService) {
    this.#socket = socket;
    this.#service = service;
    socket.on('data', this.#onData);
    socket.on('drain', () => {
      this.#room.resolve();
      this.#room = Promise.withResolvers();
    });
    socket.on('error', () => {}); // It is closed after one.
    socket.on('end', () => this.#onHalfClosed());
    socket.on('close', () => void this.#end());
    this.#watch();
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async close(): Promise<void> {
    if (this.#wire) {
      await this.#wire.close();
    } else {
      const requests = [...this.#requests.values()];
      for (const { abort } of requests) abort.abort();
      await Promise.allSettled(requests.map(({ done }) => done));
      this.#socket.destroySoon();
      this.#destroyLater();
    }
    await this.ended;
  }

  #read(bytes: Uint8Array): void {
    this.#hasSpoken = true;
    try {
      this.#reader.push(bytes);
      while (!this.#wire && !this.#isOver) {
        const line = this.#reader.next();
        if (line === undefined) break;
        this.#isTimingLine = false;
        if (line.trim() !== '') this.#accept(line);
      }
    } catch (error) {
      this.#leave(SandboxError.from(error));
    }
    this.#watch();
  }

  #accept(line: string): void {
    let request: ControlRequest;
    try {
      request = parseRequest(line);
    } catch (error) {
      const { details, ...refused } = SandboxError.from(error).toData();
      const { id, ...rest } = details;
      this.#say({ ...(id === undefined ? {} : { id }), ok: false, error: { ...refused, details: rest } });
      return;
    }
    if (request.op === 'connect') this.#connect(request);
    else if (request.op === 'cancel') this.#cancel(request);
    else this.#begin(request);
  }

  /** The rest of what the client says are messages of the wire protocol. */
  #connect({ id }: ControlRequest): void {
    if (this.#requests.size > 0) {
      this.#fail(id, new SandboxError('busy', 'Cannot connect: requests of this client are under way'));
      return;
    }
    clearTimeout(this.#timer);
    this.#socket.off('data', this.#onData);
    const { backend, network, hasDisk, onFailure } = this.#service;
    const result = { ...(network === undefined ? {} : { network }), ...(hasDisk ? { hasDisk } : {}) };
    this.#say({ id, ok: true, result });
    const transport = streamTransport(this.#socket, { head: this.#reader.takeRest() });
    this.#wire = serveWire(transport, { backend, onFailure });
  }

  #cancel({ id, fields }: ControlRequest): void {
    this.#requests.get(Number(fields.request))?.abort.abort();
    this.#say({ id, ok: true, result: {} });
  }

  #begin(request: ControlRequest): void {
    const { id } = request;
    if (this.#requests.has(id)) {
      this.#fail(id, new SandboxError('invalid-argument', `Cannot begin a request ${id}: one is under way`));
    } else if (this.#requests.size >= limits.controlRequests) {
      const message = `Cannot begin another request: ${limits.controlRequests} of this client are under way`;
      this.#fail(id, new SandboxError('busy', message, { details: { limit: limits.controlRequests } }));
    } else {
      const abort = new AbortController();
      const done = this.#run(request, abort.signal).finally(() => {
        this.#requests.delete(id);
        this.#watch();
      });
      this.#requests.set(id, { abort, done });
    }
  }

  async #run({ id, op, fields }: ControlRequest, signal: AbortSignal): Promise<void> {
    try {
      const operation = Object.hasOwn(operations, op) ? operations[op] : undefined;
      if (!operation) {
        const known = ['connect', 'cancel', ...Object.keys(operations)].join(', ');
        const name = op.slice(0, limits.sandboxNameCharacters);
        throw new SandboxError(
          'unsupported',
          `There is no operation ${JSON.stringify(name)}; there are ${known}`,
        );
      }
      const tell = (event: object) => this.#tell({ id, event });
      const { onFailure: _, ...service } = this.#service;
      const context = { ...service, tell, signal };
      const result = await operation.run(fields, context);
      this.#say({ id, ok: true, result });
    } catch (error) {
      this.#fail(id, SandboxError.from(error));
    }
  }

  #fail(id: number, error: SandboxError): void {
    this.#say({ id, ok: false, error: error.toData() });
  }

  async #tell(message: object): Promise<void> {
    this.#say(message);
    if (this.#socket.writableNeedDrain && !this.#isOver) await this.#room.promise;
  }

  /** A client that does not read what it asks for is disconnected. */
  #say(message: object): void {
    if (this.#isOver || this.#wire) return;
    this.#socket.write(toLine(message));
    if (this.#socket.writableLength > limits.controlUnreadBytes) this.#socket.destroy();
  }

  /** Says why and closes: what comes next cannot be understood. */
  #leave(why: SandboxError): void {
    this.#say({ ok: false, error: why.toData() });
    this.#socket.off('data', this.#onData);
    this.#socket.resume();
    this.#socket.end();
    this.#destroyLater();
  }

  /** A client that reads nothing would keep it open. */
  #destroyLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket.destroy(), limits.streamCloseMs);
  }

  /** What is under way is answered still, unless the client is gone altogether. */
  #onHalfClosed(): void {
    clearTimeout(this.#timer);
    if (this.#wire || this.#requests.size === 0) {
      this.#finish();
      return;
    }
    // Tells nothing to who is there, and fails where nobody is.
    const probe = () => {
      if (this.#socket.writableLength === 0) this.#socket.write(new Uint8Array());
    };
    this.#probe = setInterval(probe, limits.controlProbeMs);
    probe();
  }

  #finish(): void {
    clearInterval(this.#probe);
    this.#socket.end();
    if (!this.#wire) this.#destroyLater();
  }

  /** Of a client that says nothing, or half a line. */
  #watch(): void {
    if (this.#isOver || this.#wire || this.#socket.writableEnded) return;
    if (this.#probe) {
      if (this.#requests.size === 0) this.#finish();
      return;
    }
    const { isWithin } = this.#reader;
    if (isWithin && this.#isTimingLine) return;
    clearTimeout(this.#timer);
    this.#isTimingLine = isWithin;
    if (isWithin) this.#leaveAfter(limits.controlLineMs);
    else if (this.#requests.size > 0) return;
    else this.#leaveAfter(this.#hasSpoken ? limits.controlIdleMs : limits.controlFirstLineMs);
  }

  #leaveAfter(ms: number): void {
    const why = new SandboxError('timeout', `Nothing whole was asked for in ${ms / 1000} s`);
    this.#timer = setTimeout(() => this.#leave(why), ms);
  }

  async #end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearInterval(this.#probe);
    this.#room.resolve();
    const requests = [...this.#requests.values()];
    for (const { abort } of requests) abort.abort();
    await Promise.allSettled([...requests.map(({ done }) => done), this.#wire?.ended]);
    this.#ended.resolve();
  }
}
