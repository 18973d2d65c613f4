import { GitPanel } from '../elements/git/git-panel.ts';

/** Defines the page's git panel. Loaded when it is first shown. */
export function defineGit(): void {
  if (customElements.get('coppice-git') === undefined) customElements.define('coppice-git', GitPanel);
}
