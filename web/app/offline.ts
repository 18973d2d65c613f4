/** How long a first visit waits for the service worker, so that what is loaded next is kept too. */
const firstVisitWaitMs = 1_500;

/** What the page hears of its service worker. */
export interface OfflineListener {
  /** Everything for a visit without network is kept. */
  readonly onReady: () => void;
  /** A newer page is there; `activate` reloads into it. */
  readonly onUpdate: (activate: () => void) => void;
}

/**
 * Registers the service worker. Resolves when it controls this page, or after 1.5 s, or at once
 * where there is none: being offline is a gain, never a condition.
 */
export async function prepareOffline(script: URL, listener: OfflineListener): Promise<void> {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (container === undefined) return;
  const wasControlled = container.controller !== null;
  const controlled = new Promise<void>((resolve) =>
    container.addEventListener('controllerchange', () => resolve(), { once: true }),
  );
  try {
    const registration = await container.register(script, { scope: './', type: 'module' });
    followUpdates(registration, { container, wasControlled, onUpdate: listener.onUpdate });
    void container.ready.then(listener.onReady);
  } catch {
    return;
  }
  if (wasControlled) return;
  await Promise.race([controlled, new Promise((resolve) => setTimeout(resolve, firstVisitWaitMs))]);
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
