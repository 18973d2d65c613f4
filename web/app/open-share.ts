import type { Workspace } from '../elements/model/workspace.ts';
import { SharePanel } from '../elements/share/share-panel.ts';

/** What the page does of sharing, with its dialogs in `root`. Loaded when it is first asked for. */
export function openShare(root: HTMLElement | DocumentFragment, workspace: Workspace): SharePanel {
  return new SharePanel(root, workspace);
}
