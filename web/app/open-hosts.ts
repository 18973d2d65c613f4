import { connect } from '../../sdk/connect.ts';
import type { Workspace } from '../elements/model/workspace.ts';
import { HostPanel } from '../elements/move/host-panel.ts';

/** What the page does of hosts, with its dialog in `root`. Loaded when it is first asked for. */
export function openHosts(root: HTMLElement | DocumentFragment, workspace: Workspace): HostPanel {
  return new HostPanel(root, { workspace, connect });
}
