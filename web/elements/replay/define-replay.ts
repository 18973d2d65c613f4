import { ChangesPanel } from '../changes/changes-panel.ts';
import { DiffView } from '../diff/diff-view.ts';
import { FileBrowser } from '../files/file-browser.ts';
import { FileEditor } from '../files/file-editor.ts';
import { ProblemNote } from '../frame/problem-note.ts';
import { ContinueButton } from './continue-button.ts';
import { ReplayControls } from './replay-controls.ts';
import { ReplayHelp } from './replay-help.ts';
import { ReplayPlayer } from './replay-player.ts';
import { ReplayScreen } from './replay-screen.ts';
import { ReplaySteps } from './replay-steps.ts';
import { ReplayTimeline } from './replay-timeline.ts';

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
