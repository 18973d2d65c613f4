import type { SandboxBackend } from '../../protocol/sandbox.ts';
import { defineElements } from '../elements/define.ts';
import type { CoppiceApp } from '../elements/frame/coppice-app.ts';
import { PreferenceStore } from '../elements/model/preferences.ts';
import { Workspace } from '../elements/model/workspace.ts';
import { prepareOffline } from './offline.ts';
import { readOpenSandboxes, rememberOpenSandboxes } from './open-sandboxes.ts';
import { probeBrowser } from './probe-browser.ts';
import { showMissing } from './show-missing.ts';

const app = document.querySelector<CoppiceApp>('coppice-app');
const missing = probeBrowser();
if (app !== null && missing.length > 0) showMissing(app, missing);
else if (app !== null) await startPage(app);

/** Shows the page at once, then opens what was open. */
async function startPage(page: CoppiceApp): Promise<void> {
  const preferences = new PreferenceStore();
  const applyTheme = (): void => {
    const { theme } = preferences.value;
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  applyTheme();
  preferences.addEventListener('change', applyTheme);
  page.replaceChildren();
  page.preferences = preferences;
  defineElements();
  const workspace = new Workspace(prepareOfflineUse(page).then(loadBackend), rememberOpenSandboxes);
  page.workspace = workspace;
  await workspace.restore(readOpenSandboxes(location.hash, localStorage));
}

/** A development server serves no service worker: it would hide what was just edited. */
async function prepareOfflineUse(page: CoppiceApp): Promise<void> {
  if (!import.meta.env.PROD) return;
  await prepareOffline(new URL('service-worker.js', document.baseURI), {
    onReady: () => {
      page.offline = 'offline ready';
    },
    onUpdate: (activate) =>
      page.workspace?.notices.add({
        text: 'A newer version of this page is ready.',
        tone: 'info',
        action: { label: 'Reload', run: activate },
      }),
  });
}

/** Loaded on its own, so that the page shows before the machine's part has arrived. */
async function loadBackend(): Promise<SandboxBackend> {
  const { openBackend } = await import('./backend.ts');
  return openBackend();
}
