import { defineElements } from '../elements/define.ts';
import type { CoppiceApp } from '../elements/frame/coppice-app.ts';
import { PreferenceStore } from '../elements/model/preferences.ts';
import type { Workspace } from '../elements/model/workspace.ts';
import { acceptRecordings } from './accept-recordings.ts';
import { applyTheme } from './apply-theme.ts';

/** Shows a workspace in `app` as this person likes it. Loaded on its own: the machine starts without the elements. */
export function showPage(app: CoppiceApp, workspace: Workspace): void {
  const preferences = new PreferenceStore();
  applyTheme(preferences);
  app.replaceChildren();
  app.preferences = preferences;
  app.workspace = workspace;
  app.loadHosts = async (root) =>
    (await import('./open-hosts.ts')).openHosts(root, { workspace, preferences });
  app.loadShare = async (root) => (await import('./open-share.ts')).openShare(root, workspace);
  app.loadTournament = async (root) => (await import('./open-tournament.ts')).openTournament(root, workspace);
  app.loadReplay = async (root, hosts) =>
    (await import('./open-replay.ts')).openReplay(root, { workspace, ...hosts });
  acceptRecordings(app);
  app.loadGit = async () => (await import('./open-git.ts')).defineGit();
  defineElements();
  // In a frame it would take the focus from the page around.
  if (window.parent === window) void app.focusTerminal();
}
