// The page's entry. It is small, so that the machine's worker starts before the page's elements are loaded.
import { after } from '../../protocol/after.ts';
import { limits } from '../../protocol/limits.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import type { CoppiceApp } from '../elements/frame/coppice-app.ts';
import { Workspace } from '../elements/model/workspace.ts';
import { readSharedSnapshot } from '../elements/share/share-link.ts';
import { openBackend } from './backend.ts';
import { prepareOffline } from './offline.ts';
import { readOpenSandboxes, rememberOpenSandboxes, unclaimedSandboxes } from './open-sandboxes.ts';
import { probeBrowser } from './probe-browser.ts';
import { showMissing } from './show-missing.ts';
import { startsWithShell } from './starts-with-shell.ts';

const app = document.querySelector<CoppiceApp>('coppice-app');
const missing = probeBrowser();
if (app !== null && missing.length > 0) showMissing(app, missing);
else if (app !== null) await startPage(app);

/** Opens what was open, then shows the page; the next visit is prepared when both are done. */
async function startPage(app: CoppiceApp): Promise<void> {
  const { hash } = location;
  const isBridgeLink = hash.includes('bridge=');
  // It has a token in it: neither the history of the browser nor a copied address should.
  if (isBridgeLink) history.replaceState(null, '', location.pathname + location.search);
  const open = readOpenSandboxes(hash, localStorage);
  const last = open.find(({ host }) => host === undefined)?.id;
  const backend = openBackend(
    last !== undefined ? { sandbox: last } : open.length === 0 ? { name: defaultImage } : undefined,
  );
  const workspace = new Workspace(backend, rememberOpenSandboxes, unclaimedSandboxes);
  const shellFirst = open.length === 0 ? startsWithShell(location.search) : undefined;
  const shown = Promise.withResolvers<void>();
  const reachHost = async (url: string) => {
    await shown.promise;
    return app.reachHost(url);
  };
  const restore = () => workspace.restore(open, { shellFirst, reachHost });
  const shared = readSharedSnapshot(location);
  // What a link shares opens by itself: what was open last may be open in another tab, and no machine starts unasked.
  const restored = shared === undefined ? restore() : Promise.resolve();
  // Drawing keeps the page's thread from starting the worker. One that does not come is told on the page.
  const started = Promise.race([backend.catch(() => undefined), after(limits.workerHeadStartMs)]);
  const [{ showPage }] = await Promise.all([import('./show-page.ts'), started]);
  showPage(app, workspace);
  shown.resolve();
  if (isBridgeLink) void app.openBridgeLink(hash);
  if (shared !== undefined) {
    await app.openShared(shared, () => history.replaceState(null, '', location.pathname));
    if (workspace.panes.length === 0) await restore();
  }
  // A link that is opened where the page is already changes nothing but the fragment.
  addEventListener('hashchange', ({ oldURL }) => {
    const link = location.hash;
    const another = readSharedSnapshot({ hash: link, search: '' });
    if (another !== undefined) void app.openShared(another, () => history.replaceState(null, '', oldURL));
    if (!link.includes('bridge=')) return;
    history.replaceState(null, '', location.pathname + location.search);
    void app.openBridgeLink(link);
  });
  await restored;
  void workspace.shellFirst.deleteUnclaimed();
  // A development server serves no service worker: it would hide what was just edited.
  if (import.meta.env.PROD) await prepareNextVisit(app, workspace);
}

function prepareNextVisit(app: CoppiceApp, workspace: Workspace): Promise<void> {
  // Only who installs the page needs it: reading it, and its icon, would keep the machine waiting.
  const manifest = document.createElement('link');
  manifest.rel = 'manifest';
  manifest.href = './manifest.webmanifest';
  document.head.append(manifest);
  return prepareOffline(new URL('service-worker.js', document.baseURI), {
    onReady: () => {
      app.offline = 'offline ready';
    },
    onUpdate: (activate) =>
      workspace.notices.add({
        text: 'A newer version of this page is ready.',
        tone: 'info',
        action: { label: 'Reload', run: activate },
      }),
  });
}
