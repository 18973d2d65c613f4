import { SandboxError } from '../../../protocol/errors.ts';
import { hostLimits } from '../limits.ts';
import {
  parseRequest,
  proxyValue,
  rawValue,
  requestId,
  thrownValue,
  type WireRequest,
  type WireValue,
} from './messages.ts';
import { RemoteFunction } from './remote-function.ts';

/** An object that a client uses through a port: what is not named here cannot be reached. */
export interface ServedObject {
  /** Arguments are what the client sent: data, or a `RemoteFunction`. A `ServedObject` as a result goes behind a port. */
  readonly methods?: Readonly<Record<string, (...values: readonly unknown[]) => unknown>>;
  /** A call of the object itself. */
  readonly call?: () => unknown;
  readonly values?: Readonly<Record<string, () => unknown>>;
  /** The client has let go of it, or all is closed. Called once. */
  readonly onRelease?: () => void;
}

const servedMark: unique symbol = Symbol('served object');
type MarkedObject = ServedObject & { readonly [servedMark]: ObjectServer | undefined };

/** Marks a result to go behind a port of its own, which `server` has, or else the one whose object returns it. */
export function served(object: ServedObject, server?: ObjectServer): ServedObject {
  return { ...object, [servedMark]: server } as MarkedObject;
}

/** Serves the objects of one client. Whoever makes it closes it, which lets go of all of them. */
export class ObjectServer {
  readonly #objects = new Map<MessagePort, ServedObject>();
  readonly #listeners = new Set<RemoteFunction>();
  #requests = 0;

  /** Serves `object` at this port until the client lets go of it. @throws limit-exceeded; then it is released */
  serve(port: MessagePort, object: ServedObject): void {
    if (this.#objects.size >= hostLimits.handles) {
      port.close();
      object.onRelease?.();
      throw new SandboxError('limit-exceeded', `Cannot hand out more than ${hostLimits.handles} objects`);
    }
    this.#objects.set(port, object);
    port.onmessage = ({ data }: MessageEvent<unknown>) => void this.#answer(port, { object, data });
  }

  /** Lets go of a listener of the client. */
  release(listener: RemoteFunction): void {
    this.#listeners.delete(listener);
    listener.close();
  }

  /** Lets go of everything. */
  close(): void {
    for (const port of [...this.#objects.keys()]) this.#release(port);
    for (const listener of this.#listeners) listener.close();
    this.#listeners.clear();
  }

  async #answer(port: MessagePort, { object, data }: { object: ServedObject; data: unknown }): Promise<void> {
    const id = requestId(data);
    if (id === undefined) return; // No request, and nobody to tell.
    const answer = await this.#perform(object, data);
    if (!this.#objects.has(port)) return;
    const { transfer, ...message } = answer;
    port.postMessage({ ...message, id }, transfer);
    if (answer.isRelease) this.#release(port);
  }

  async #perform(object: ServedObject, data: unknown): Promise<Answer> {
    if (this.#requests >= hostLimits.requests) {
      const message = `More than ${hostLimits.requests} requests are under way: wait for some of them`;
      return failure(new SandboxError('busy', message));
    }
    this.#requests++;
    try {
      const request = parseRequest(data);
      if (request.type === 'release') return { ...rawValue(undefined), transfer: [], isRelease: true };
      return await this.#call(object, request);
    } catch (error) {
      return failure(error);
    } finally {
      this.#requests--;
    }
  }

  /** Listeners of a call that fails are let go of: it has kept none. */
  async #call(object: ServedObject, request: ObjectRequest): Promise<Answer> {
    const values: unknown[] = [];
    try {
      if (request.type === 'apply') for (const value of request.values) values.push(this.#argument(value));
      return this.#result(await this.#run(object, { request, values }));
    } catch (error) {
      for (const value of values) if (value instanceof RemoteFunction) this.release(value);
      throw error;
    }
  }

  #run(
    { methods = {}, values: own = {}, call }: ServedObject,
    { request, values }: { request: ObjectRequest; values: readonly unknown[] },
  ): unknown {
    if (request.type === 'get') {
      if (Object.hasOwn(own, request.name)) return own[request.name]?.();
    } else if (request.name === undefined) {
      if (call) return call();
    } else if (Object.hasOwn(methods, request.name)) {
      return methods[request.name]?.(...values);
    }
    const what = request.name === undefined ? 'a call' : JSON.stringify(request.name);
    throw new SandboxError('unsupported', `This host does not know ${what}`, {
      details: { feature: request.name ?? 'call' },
    });
  }

  #argument(value: WireValue): unknown {
    if (!('name' in value)) return value.value;
    if (this.#listeners.size >= hostLimits.handles)
      throw new SandboxError('limit-exceeded', `Cannot take more than ${hostLimits.handles} listeners`);
    const listener = new RemoteFunction(value.value as MessagePort);
    this.#listeners.add(listener);
    return listener;
  }

  #result(result: unknown): Answer {
    if (typeof result === 'object' && result !== null && servedMark in result) {
      const { port1, port2 } = new MessageChannel();
      const object = result as MarkedObject;
      (object[servedMark] ?? this).serve(port1, object);
      return { ...proxyValue(port2), transfer: [port2] };
    }
    return { ...rawValue(result), transfer: ownBuffers(result) };
  }

  #release(port: MessagePort): void {
    const object = this.#objects.get(port);
    this.#objects.delete(port);
    port.close();
    object?.onRelease?.();
  }
}

type ObjectRequest = Exclude<WireRequest, { type: 'release' }>;
type Answer = WireValue & { readonly transfer: Transferable[]; readonly isRelease?: true };

/** Bytes that nothing else is made of are given away instead of copied. */
function ownBuffers(result: unknown): Transferable[] {
  if (!(result instanceof Uint8Array) || result.byteLength !== result.buffer.byteLength) return [];
  return result.buffer instanceof ArrayBuffer && result.byteLength > 0 ? [result.buffer] : [];
}

function failure(cause: unknown): Answer {
  const { message, name, code } =
    cause instanceof Error ? (cause as Error & { code?: string }) : SandboxError.from(cause);
  return { ...thrownValue({ message, name, code }), transfer: [] };
}
