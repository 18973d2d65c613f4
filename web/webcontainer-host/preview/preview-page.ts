// The entry of the page that shows a server of a WebContainer, at an origin of its own: registers the worker that takes the
// requests of the page in it, and passes them to the host's page. It asks no server but for itself.
import { findEmbedder } from '../find-embedder.ts';
import { hostLimits } from '../limits.ts';
import { readHosts } from './preview-hosts.ts';
import { type HostMessage, type PreviewHello, previewWorker, reportType } from './preview-messages.ts';

const parameters = new URLSearchParams(location.hash.slice(1));
const key = parameters.get('key') ?? '';
const text = document.querySelector('p');
const endText = 'The WebContainer of this preview shows it no more';

try {
  await show(await findHost(await readHosts(location.origin)));
} catch (error) {
  if (text) text.textContent = error instanceof Error ? error.message : String(error);
}

/** Asks each frame of this tab: only a host's page can read the message, and only one knows the key. */
async function findHost(hosts: readonly string[]): Promise<MessagePort> {
  const found = Promise.withResolvers<MessagePort>();
  for (const frame of framesOf(window.top ?? window)) {
    if (frame === window) continue;
    for (const host of hosts) {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }: MessageEvent<HostMessage>) => {
        if (data.type !== 'ready') return;
        if (data.embedder === findEmbedder(globalThis)) found.resolve(port1);
        else found.reject(new Error(`Only a page of ${data.embedder} shows this preview`));
      };
      const hello: PreviewHello = { type: 'coppice-preview', key };
      frame.postMessage(hello, host, [port2]);
    }
  }
  const why = `No page of ${hosts.join(' or ')} in this tab has this preview: open it where its WebContainer runs`;
  setTimeout(() => found.reject(new Error(why)), hostLimits.answerMs);
  return found.promise;
}

function framesOf(top: Window): Window[] {
  const all: Window[] = [top];
  for (let index = 0; index < all.length && all.length < hostLimits.frames; index++) {
    const frame = all[index];
    for (let child = 0; frame && child < frame.length; child++) {
      const inner = frame[child];
      if (inner) all.push(inner);
    }
  }
  return all;
}

/** Browsers that block storage of other sites in frames have no such worker there. */
async function register(container: ServiceWorkerContainer): Promise<void> {
  try {
    await container.register(new URL(`/${previewWorker}`, location.origin), { type: 'module' });
    await container.ready;
  } catch (cause) {
    const remedy = `allow cookies of other sites for ${location.host}, or serve previews below the application's own domain`;
    throw new Error(`This browser gives the preview no service worker in this frame: ${remedy}`, { cause });
  }
}

/** No other instance gets this origin: its worker would stay for nothing. */
async function end(container: ServiceWorkerContainer): Promise<void> {
  const paragraph = document.createElement('p');
  paragraph.textContent = endText;
  document.body.replaceChildren(paragraph);
  const registrations = await container.getRegistrations();
  await Promise.all(registrations.map((registration) => registration.unregister()));
}

async function show(link: MessagePort): Promise<void> {
  const { serviceWorker } = navigator;
  let isClosed = false;
  link.onmessage = ({ data }: MessageEvent<HostMessage>) => {
    isClosed ||= data.type !== 'ready';
    if (data.type === 'ended') void end(serviceWorker);
  };
  serviceWorker.addEventListener('message', ({ data, ports }) => {
    // A request; its answer comes to the worker by itself.
    if (!isClosed) link.postMessage(data, [...ports]);
    else
      ports[0]?.postMessage({
        type: 'failure',
        message: endText,
      });
  });
  serviceWorker.startMessages();
  await register(serviceWorker);
  const frame = document.createElement('iframe');
  frame.src = parameters.get('path') ?? '/';
  // What a sandbox serves neither reads nor replaces what the user has copied, also where the application lets its frames.
  frame.allow = "fullscreen; clipboard-read 'none'; clipboard-write 'none'";
  const embedder = findEmbedder(globalThis);
  window.addEventListener('message', ({ source, origin, data, ports }) => {
    // A page elsewhere may be in the frame by now.
    if (source === frame.contentWindow && origin === location.origin && data?.type === reportType)
      link.postMessage({ type: 'report', message: data.message });
    // `reloadPreview` of the package.
    if (source === parent && origin === embedder && data?.type === 'LOCALSERVICE_RELOAD_WINDOW') {
      frame.contentWindow?.location.reload();
      ports[0]?.postMessage({ type: 'LOCALSERVICE_WINDOW_RELOADED' });
    }
  });
  document.body.replaceChildren(frame);
}
