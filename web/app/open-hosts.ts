import { connect } from '../../sdk/connect.ts';
import type { PreferenceStore } from '../elements/model/preferences.ts';
import type { Workspace } from '../elements/model/workspace.ts';
import { HostPanel } from '../elements/move/host-panel.ts';

/** What the page does of hosts, with its dialog in `root`. Loaded when it is first asked for. */
export function openHosts(
  root: HTMLElement | DocumentFragment,
  parts: { workspace: Workspace; preferences: PreferenceStore; listsSandboxes?: boolean },
): HostPanel {
  return new HostPanel(root, { ...parts, connect });
}
