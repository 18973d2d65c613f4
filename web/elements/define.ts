import { ChangesPanel } from './changes/changes-panel.ts';
import { DiffView } from './diff/diff-view.ts';
import { FileBrowser } from './files/file-browser.ts';
import { FileEditor } from './files/file-editor.ts';
import { ColumnSplitter } from './frame/column-splitter.ts';
import { CommandPalette } from './frame/command-palette.ts';
import { CoppiceApp } from './frame/coppice-app.ts';
import { NewSandbox } from './frame/new-sandbox.ts';
import { ProblemNote } from './frame/problem-note.ts';
import { SandboxList } from './frame/sandbox-list.ts';
import { ShortcutList } from './frame/shortcut-list.ts';
import { StatusBar } from './frame/status-bar.ts';
import { TitleBar } from './frame/title-bar.ts';
import { ToastList } from './frame/toast-list.ts';
import { HistorySearch } from './history/history-search.ts';
import { HistoryTree } from './history/history-tree.ts';
import { SnapshotActions } from './history/snapshot-actions.ts';
import { SnapshotPreview } from './history/snapshot-preview.ts';
import { SandboxPane } from './terminal/sandbox-pane.ts';
import { ShellRescue } from './terminal/shell-rescue.ts';
import { StartProgress } from './terminal/start-progress.ts';
import { TerminalView } from './terminal/terminal-view.ts';
import { TouchKeys } from './terminal/touch-keys.ts';
import { TimelineActions } from './timeline/timeline-actions.ts';
import { TimelineBar } from './timeline/timeline-bar.ts';

const elements: { readonly [name: string]: CustomElementConstructor } = {
  'coppice-app': CoppiceApp,
  'coppice-changes': ChangesPanel,
  'coppice-diff': DiffView,
  'coppice-editor': FileEditor,
  'coppice-files': FileBrowser,
  'coppice-history': HistoryTree,
  'coppice-history-search': HistorySearch,
  'coppice-new-sandbox': NewSandbox,
  'coppice-palette': CommandPalette,
  'coppice-pane': SandboxPane,
  'coppice-problem': ProblemNote,
  'coppice-progress': StartProgress,
  'coppice-rescue': ShellRescue,
  'coppice-sandboxes': SandboxList,
  'coppice-shortcuts': ShortcutList,
  'coppice-snapshot-actions': SnapshotActions,
  'coppice-snapshot-preview': SnapshotPreview,
  'coppice-splitter': ColumnSplitter,
  'coppice-status-bar': StatusBar,
  'coppice-terminal': TerminalView,
  'coppice-timeline': TimelineBar,
  'coppice-timeline-actions': TimelineActions,
  'coppice-title-bar': TitleBar,
  'coppice-toasts': ToastList,
  'coppice-touch-keys': TouchKeys,
};

/** Defines every element of the page; elements that are defined already stay as they are. */
export function defineElements(): void {
  for (const [name, element] of Object.entries(elements)) {
    if (customElements.get(name) === undefined) customElements.define(name, element);
  }
}
