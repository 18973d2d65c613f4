import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { serveWire } from '../../../protocol/wire/server/serve-wire.ts';
import type { WireSession } from '../../../protocol/wire/server/wire-session.ts';
import { type PortLike, portTransport } from '../../../protocol/wire/transports/port-transport.ts';
import { embedLimits } from '../limits.ts';
import { embedVersion, typeOf, type WindowMessage } from '../messages.ts';

/** The parts of a frame's window that are used here. */
export type FrameWindow = Pick<Window, 'parent' | 'addEventListener' | 'removeEventListener'>;

interface EmbedderParts {
  /** The origin of the page that this one is in, as the browser tells; `undefined` where it does not, or the page has none. */
  readonly origin: string | undefined;
  readonly backend: SandboxBackend;
  /** Takes the port of what is shown. */
  readonly onView: (port: MessagePort) => void;
}

/**
 * Lets the page that this one is in drive the frame, and nobody else: no other window, and no page of another origin that comes into
 * that window later. What it asks through its port is looked up in tables (protocol/wire), never by a path through objects.
 */
export function serveEmbedder(frame: FrameWindow, { backend, onView, ...parts }: EmbedderParts): void {
  let { origin: embedder } = parts;
  const sessions = new Set<WireSession>();
  const tell = (origin: string): void => {
    const ready: WindowMessage = { type: 'coppice-embed:ready', version: embedVersion };
    // A page without an origin cannot be named; this says nothing that is anybody's.
    frame.parent.postMessage(ready, origin === 'null' ? '*' : origin);
  };
  frame.addEventListener('message', ({ source, origin, data, ports }: MessageEvent<unknown>) => {
    if (source !== frame.parent || source === (frame as unknown as MessageEventSource)) return;
    const type = typeOf(data);
    if (type !== 'coppice-embed:hello' && type !== 'coppice-embed:connect') return;
    embedder ??= origin;
    if (origin !== embedder) return;
    if (type === 'coppice-embed:hello') return tell(origin);
    const [wire, view] = ports;
    if (!wire || !view || sessions.size >= embedLimits.clients) {
      for (const port of ports) port.close();
      return;
    }
    const transport = portTransport(wire as unknown as PortLike);
    const session = serveWire(transport, { backend });
    sessions.add(session);
    // Not everywhere does a port tell another process that it is gone.
    const leave = (): void => transport.abort('the frame is gone');
    frame.addEventListener('pagehide', leave);
    void session.ended.then(() => {
      frame.removeEventListener('pagehide', leave);
      sessions.delete(session);
    });
    onView(view);
  });
  tell(embedder ?? 'null');
}
