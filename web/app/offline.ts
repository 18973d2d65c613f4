/** What the page hears of its service worker. */
export interface OfflineListener {
  /** Everything for a visit without network is kept. */
  readonly onReady: () => void;
  /** A newer page is there; `activate` reloads into it. */
  readonly onUpdate: (activate: () => void) => void;
}

/**
 * Registers the service worker, where there are such workers; being offline is a gain, never a
 * condition. A first registration loads the whole page again and any asks the network: call it when
 * nothing that the user waits for is under way.
 */
export async function prepareOffline(script: URL, listener: OfflineListener): Promise<void> {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (container === undefined) return;
  const { controller } = container;
  const wasControlled = controller !== null;
  try {
    const registration = await container.register(script, {
      scope: new URL('./', script).href,
      type: 'module',
    });
    if (wasControlled && !isSameScript(controller.scriptURL, script))
      return takeBack(registration, container);
    followUpdates(registration, { container, wasControlled, onUpdate: listener.onUpdate });
    void container.ready.then(listener.onReady);
  } catch {
    // The page works as before, and the next visit tries again.
  }
}

function isSameScript(url: string, script: URL): boolean {
  return url.replace(/[?#].*/s, '') === script.href;
}

/**
 * Has this page's own worker take the place of another that answers its requests, and shows the page once more: what came
 * through that one may be anything. What is stored stays.
 */
function takeBack(registration: ServiceWorkerRegistration, container: ServiceWorkerContainer): void {
  container.addEventListener('controllerchange', () => location.reload(), { once: true });
  for (const worker of [registration.waiting, registration.installing]) {
    const activate = (): void => {
      if (worker?.state === 'installed') worker.postMessage('activate');
    };
    activate();
    worker?.addEventListener('statechange', activate);
  }
}

function followUpdates(
  registration: ServiceWorkerRegistration,
  options: {
    container: ServiceWorkerContainer;
    wasControlled: boolean;
    onUpdate: OfflineListener['onUpdate'];
  },
): void {
  if (!options.wasControlled) return;
  const offer = (worker: ServiceWorker): void =>
    options.onUpdate(() => {
      options.container.addEventListener('controllerchange', () => location.reload(), { once: true });
      worker.postMessage('activate');
    });
  if (registration.waiting !== null) offer(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const worker = registration.installing;
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed') offer(worker);
    });
  });
}
