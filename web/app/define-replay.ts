import { ChangesPanel } from '../elements/changes/changes-panel.ts';
import { DiffView } from '../elements/diff/diff-view.ts';
import { FileBrowser } from '../elements/files/file-browser.ts';
import { FileEditor } from '../elements/files/file-editor.ts';
import { ProblemNote } from '../elements/frame/problem-note.ts';
import { ContinueButton } from '../elements/replay/continue-button.ts';
import { ReplayControls } from '../elements/replay/replay-controls.ts';
import { ReplayHelp } from '../elements/replay/replay-help.ts';
import { ReplayPlayer } from '../elements/replay/replay-player.ts';
import { ReplayScreen } from '../elements/replay/replay-screen.ts';
import { ReplaySteps } from '../elements/replay/replay-steps.ts';
import { ReplayTimeline } from '../elements/replay/replay-timeline.ts';

const elements: { readonly [name: string]: CustomElementConstructor } = {
  'coppice-changes': ChangesPanel,
  'coppice-continue': ContinueButton,
  'coppice-diff': DiffView,
  'coppice-editor': FileEditor,
  'coppice-files': FileBrowser,
  'coppice-problem': ProblemNote,
  'coppice-replay': ReplayPlayer,
  'coppice-replay-controls': ReplayControls,
  'coppice-replay-help': ReplayHelp,
  'coppice-replay-screen': ReplayScreen,
  'coppice-replay-steps': ReplaySteps,
  'coppice-replay-timeline': ReplayTimeline,
};

/** Defines the player and what is in it; elements that are defined already stay as they are. */
export function defineReplay(): void {
  for (const [name, element] of Object.entries(elements)) {
    if (customElements.get(name) === undefined) customElements.define(name, element);
  }
}
