import { listenAbort } from '../../../protocol/abort.ts';
import { hostLimits } from '../limits.ts';
import { readHosts } from './preview-hosts.ts';
import { type PreviewAnswer, type PreviewRequest, previewPath } from './preview-messages.ts';

/** The few members of a service worker's global scope that this one uses (the DOM library has none). */
interface ServiceWorkerScope {
  readonly clients: {
    claim(): Promise<void>;
    get(id: string): Promise<Client | undefined>;
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly Client[]>;
  };
  readonly location: { readonly origin: string };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
}
interface Client {
  readonly url: string;
  postMessage(message: unknown, transfer: Transferable[]): void;
}
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  readonly clientId: string;
  respondWith(response: Promise<Response>): void;
}

const worker = globalThis as unknown as ServiceWorkerScope;
/** Statuses whose responses have no body. */
const withoutBody = new Set([101, 204, 205, 304]);

// It takes every request of its origin, so it is refused wherever anything but previews may be.
worker.addEventListener('install', (event) =>
  event.waitUntil(readHosts(worker.location.origin).then(() => worker.skipWaiting())),
);
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  // Other servers are the network's, and so is the page that shows the preview.
  if (origin !== worker.location.origin || pathname === previewPath) return;
  event.respondWith(answer(event));
});

async function answer({ request, clientId }: FetchEvent): Promise<Response> {
  const asking = await worker.clients.get(clientId);
  // The files of the page that shows the preview.
  if (request.mode !== 'navigate' && asking && isShell(asking)) return fetch(request);
  const shells = (await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(
    isShell,
  );
  const shell = shells.at(-1);
  if (!shell) return plain(503, 'The page that this preview belongs to was closed.');
  const { pathname, search } = new URL(request.url);
  const body = request.method === 'GET' || request.method === 'HEAD' ? undefined : await bodyOf(request);
  const message: PreviewRequest = {
    ...{ type: 'request', method: request.method, path: pathname + search, body },
    headers: [...request.headers],
  };
  const { port1, port2 } = new MessageChannel();
  shell.postMessage(message, [port2]);
  return responseFrom(port1, request.signal);
}

async function bodyOf(request: Request): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.length === 0 ? undefined : bytes;
}

/** Time after which the worker answers for a host's page that does not. */
const answerMs = hostLimits.previewHeadMs + hostLimits.answerMs;

function responseFrom(port: MessagePort, signal: AbortSignal): Promise<Response> {
  const response = Promise.withResolvers<Response>();
  const leave = (answer: Response): void => {
    response.resolve(answer);
    port.postMessage('cancel');
    port.close();
  };
  const timer = setTimeout(() => leave(plain(504, 'The preview did not answer.')), answerMs);
  const unlisten = listenAbort(signal, () => leave(Response.error()));
  void response.promise.then(() => {
    clearTimeout(timer);
    unlisten();
  });
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  port.onmessage = ({ data }: MessageEvent<PreviewAnswer>) => {
    if (data.type === 'head') {
      const body = new ReadableStream<Uint8Array>(
        {
          start: (opened) => {
            controller = opened;
          },
          pull: () => port.postMessage('pull'),
          cancel: () => {
            port.postMessage('cancel');
            port.close();
          },
        },
        { highWaterMark: 1 },
      );
      const { status, statusText, headers } = data;
      const init = {
        status,
        statusText,
        headers: headers.map(([name, value]): [string, string] => [name, value]),
      };
      try {
        response.resolve(new Response(withoutBody.has(status) ? null : body, init));
      } catch (cause) {
        // Such as for a control character in a header.
        leave(plain(502, `Cannot show the answer of the server: ${cause}`));
      }
    } else if (data.type === 'piece') controller?.enqueue(data.bytes);
    else if (data.type === 'end') {
      controller?.close();
      port.close();
    } else {
      response.resolve(plain(502, data.message));
      controller?.error(new TypeError(data.message));
      port.close();
    }
  };
  return response.promise;
}

function isShell({ url }: Client): boolean {
  return new URL(url).pathname === previewPath;
}

function plain(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
