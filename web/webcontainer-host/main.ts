// The entry of the page that `@webcontainer/api` boots against: composition root.
import { connect } from '../../sdk/connect.ts';
import { openBackend } from '../app/backend.ts';
import { findEmbedder } from './find-embedder.ts';
import { historyMethods } from './history/history-methods.ts';
import { HistoryServer, historyHello } from './history/history-port.ts';
import { readHostSettings } from './host-settings.ts';
import { openContainerSandbox } from './instance/open-container-sandbox.ts';
import { InstanceOffer } from './offer-instance.ts';
import { PreviewAddresses } from './preview/preview-addresses.ts';

const embedder = findEmbedder(globalThis);
if (embedder !== undefined) {
  const { search } = location;
  // It may have a token in it.
  history.replaceState(null, '', location.pathname);
  const channel = new MessageChannel();
  let backend: ReturnType<typeof openBackend> | undefined;
  const openTab = () => (backend ??= openBackend(undefined, { makesSpares: false }));
  const offer = new InstanceOffer(channel.port1, {
    embedder,
    openSandbox: async () => {
      const opened = await openContainerSandbox({
        settings: readHostSettings(search),
        ...{ embedder, openTab, connect },
      });
      keepForOffline();
      return opened;
    },
    previewAddresses: () => new PreviewAddresses(location, readHostSettings(search).preview),
    registry: () => readHostSettings(search).registry,
  });
  const histories = new HistoryServer(() => historyMethods(offer.container.sandbox));
  addEventListener('message', ({ source, origin, data, ports: [port] }: MessageEvent<unknown>) => {
    const isHello = typeof data === 'object' && data !== null && 'type' in data && data.type === historyHello;
    if (source !== parent || origin !== embedder || !isHello || !port) return;
    histories.serve(port);
  });
  parent.postMessage({ type: 'init' }, embedder, [channel.port2]);
}

/** The package asks for this page at the top of its origin, so the site's worker is there too. Being offline is a gain only. */
function keepForOffline(): void {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (import.meta.env.PROD)
    void container?.register('/service-worker.js', { scope: '/', type: 'module' }).catch(() => undefined);
}
