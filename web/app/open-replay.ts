import { ReplayPanel, type ReplayPanelParts } from '../elements/replay/replay-panel.ts';
import { defineReplay } from './define-replay.ts';
import { openReplayWorker } from './open-replay-worker.ts';

/** What the page does of recordings, with its dialog in `root`. Loaded when it is first asked for. */
export function openReplay(
  root: HTMLElement | DocumentFragment,
  parts: Omit<ReplayPanelParts, 'openLink'>,
): ReplayPanel {
  defineReplay();
  return new ReplayPanel(root, { ...parts, openLink: openReplayWorker });
}
