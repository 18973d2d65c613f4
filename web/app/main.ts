// The page's entry. It is small, so that the machine's worker loads while the page's elements do.
import type { CoppiceApp } from '../elements/frame/coppice-app.ts';
import { Workspace } from '../elements/model/workspace.ts';
import { openBackend } from './backend.ts';
import { prepareOffline } from './offline.ts';
import { readOpenSandboxes, rememberOpenSandboxes } from './open-sandboxes.ts';
import { probeBrowser } from './probe-browser.ts';
import { showMissing } from './show-missing.ts';

const app = document.querySelector<CoppiceApp>('coppice-app');
const missing = probeBrowser();
if (app !== null && missing.length > 0) showMissing(app, missing);
else if (app !== null) await startPage(app);

/** Opens what was open and shows the page meanwhile; the next visit is prepared when both are done. */
async function startPage(app: CoppiceApp): Promise<void> {
  const workspace = new Workspace(openBackend(), rememberOpenSandboxes);
  const restored = workspace.restore(readOpenSandboxes(location.hash, localStorage));
  const { showPage } = await import('./show-page.ts');
  showPage(app, workspace);
  await restored;
  // A development server serves no service worker: it would hide what was just edited.
  if (import.meta.env.PROD) await prepareNextVisit(app, workspace);
}

function prepareNextVisit(app: CoppiceApp, workspace: Workspace): Promise<void> {
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
