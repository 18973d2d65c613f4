import { listenAbort, throwIfAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { openWire, type WireBackend } from '../../../protocol/wire/client/open-wire.ts';
import { type PortLike, portTransport } from '../../../protocol/wire/transports/port-transport.ts';
import { embedLimits } from '../limits.ts';
import { assertVersion, embedVersion, typeOf, type ViewEvent, type WindowMessage } from '../messages.ts';
import { EmbedView } from './embed-view.ts';

export interface ConnectEmbedOptions {
  /** The origin of the site whose `/embed/` the frame shows, such as `https://coppice.example`; that of its `src` by default. */
  readonly origin?: string;
  readonly signal?: AbortSignal | undefined;
  /** Told what the frame says of what it shows. */
  readonly onEvent?: ((event: ViewEvent) => void) | undefined;
}

/** A frame of `/embed/` that this page drives. Whoever connected closes it; the frame's sandboxes are gone with the frame. */
export interface EmbedConnection extends AsyncDisposable {
  /** Its sandboxes, in its memory: `Sandbox.create({ backend })`. */
  readonly backend: WireBackend;
  readonly view: EmbedView;
}

/**
 * Connects to a frame that shows `/embed/` of a site: once it has answered from `origin`, everything goes through ports that nobody else has.
 * @throws timeout where it does not answer, version-mismatch, aborted, invalid-argument
 */
export async function connectEmbed(
  frame: HTMLIFrameElement,
  { origin = originOf(frame), signal, onEvent }: ConnectEmbedOptions = {},
): Promise<EmbedConnection> {
  const what = 'Cannot connect to the embed';
  throwIfAborted(signal, what);
  if (URL.parse(origin)?.origin !== origin)
    throw new SandboxError('invalid-argument', `${what}: ${JSON.stringify(origin)} is not an origin`);
  await untilReady(frame, { origin, signal, what });
  const [wire, view] = [new MessageChannel(), new MessageChannel()];
  post(frame, { type: 'coppice-embed:connect', version: embedVersion }, { origin, ports: [wire, view] });
  // A frame serves each port once, so nothing is gone on with when it is lost.
  const backend = await openWire(
    async () => portTransport(wire.port1 as unknown as PortLike),
    signal ? { signal } : {},
  );
  return {
    backend,
    view: new EmbedView(view.port1, onEvent),
    [Symbol.asyncDispose]: async () => {
      view.port1.close();
      await backend.close();
    },
  };
}

/** Asks until the frame says that it is there. */
async function untilReady(
  frame: HTMLIFrameElement,
  { origin, signal, what }: { origin: string; signal: AbortSignal | undefined; what: string },
): Promise<void> {
  const ready = Promise.withResolvers<void>();
  const listen = ({ source, origin: sender, data }: MessageEvent<unknown>): void => {
    if (source === null || source !== frame.contentWindow || sender !== origin) return;
    if (typeOf(data) !== 'coppice-embed:ready') return;
    try {
      assertVersion(data);
      ready.resolve();
    } catch (error) {
      ready.reject(error);
    }
  };
  const ask = (): void => post(frame, { type: 'coppice-embed:hello' }, { origin });
  const unlisten = listenAbort(signal, () =>
    ready.reject(new SandboxError('aborted', `${what}: it was not wanted any more`)),
  );
  const timer = setTimeout(() => {
    const why = `no page of ${origin} answers in this frame: look for its address, and at the policy of this page (frame-src)`;
    ready.reject(new SandboxError('timeout', `${what}: ${why}`));
  }, embedLimits.connectMs);
  addEventListener('message', listen);
  frame.addEventListener('load', ask);
  ask();
  try {
    await ready.promise;
  } finally {
    clearTimeout(timer);
    unlisten();
    removeEventListener('message', listen);
    frame.removeEventListener('load', ask);
  }
}

function post(
  frame: HTMLIFrameElement,
  message: WindowMessage,
  { origin, ports = [] }: { origin: string; ports?: readonly MessageChannel[] },
): void {
  frame.contentWindow?.postMessage(
    message,
    origin,
    ports.map(({ port2 }) => port2),
  );
}

function originOf(frame: HTMLIFrameElement): string {
  return new URL(frame.src, document.baseURI).origin;
}
