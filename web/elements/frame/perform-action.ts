import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import type { Action } from '../model/actions.ts';
import { findRow } from '../model/history-rows.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { Workspace } from '../model/workspace.ts';
import { describeSnapshot } from '../text/describe-snapshot.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { clockTime } from '../text/relative-time.ts';
import { exportFiles, exportStored } from './export-files.ts';
import { type GoingBack, goBack, goBackTo, undoGoingBack } from './go-back.ts';
import { pickSnapshotFile, saveSnapshotFile } from './snapshot-files.ts';

/**
 * Performs an action on the workspace or its active pane; answers false for actions of the page itself. Calls
 * `toTerminal` when the next keys are meant for a restored or a new machine.
 */
export function performAction(action: Action, workspace: Workspace, toTerminal: () => void): boolean {
  if (performOnWorkspace(action, workspace)) return true;
  const pane = workspace.active;
  return pane !== undefined && performOnPane(action, { pane, workspace, toTerminal });
}

function performOnWorkspace(action: Action, workspace: Workspace): boolean {
  switch (action.type) {
    case 'new-sandbox':
      if (action.bridge !== undefined) return false;
      void workspace.replace(undefined, { runtime: action.runtime });
      return true;
    case 'open-sandbox':
      void workspace.replace(action.sandbox);
      return true;
    case 'delete-sandbox':
      deleteSandbox(action.sandbox, workspace);
      return true;
    case 'rename-sandbox':
      void workspace.rename(action.sandbox, action.name);
      return true;
    case 'export-stored':
      void exportStored(action.sandbox, workspace);
      return true;
    case 'open-file':
      pickSnapshotFile(workspace);
      return true;
    case 'open-demos':
      // What runs here goes on.
      open('./demos/', '_blank', 'noopener');
      return true;
    case 'activate':
      workspace.activate(action.pane);
      return true;
    case 'close-pane':
      void workspace.close(action.pane);
      return true;
    case 'open-link':
      offerLink(action.uri, workspace);
      return true;
    default:
      return false;
  }
}

function performOnPane(action: Action, parts: GoingBack): boolean {
  const { pane, workspace, toTerminal } = parts;
  switch (action.type) {
    case 'checkout':
      void goBack(action.id, parts);
      return true;
    case 'scrub':
      pane.scrub(action);
      return true;
    case 'go-back':
      goBackTo(action, parts);
      return true;
    case 'choose-files-only':
      pane.chooseFilesOnly(action.filesOnly);
      return true;
    case 'undo-going-back':
      void undoGoingBack(parts);
      return true;
    case 'dismiss-way-back':
      pane.dismissWayBack();
      workspace.notices.dismissAbout(pane);
      return true;
    case 'fork':
      void workspace.fork(pane, action.id).then(toTerminal);
      return true;
    case 'fork-running':
      void workspace.forkRunning(pane).then(toTerminal);
      return true;
    case 'fork-busy':
      void workspace.forkBusy(pane);
      return true;
    case 'mark':
      mark(action.id, pane, workspace);
      return true;
    case 'remove':
      removeSnapshot(action.id, pane, workspace);
      return true;
    case 'tag':
      void pane.setTag(action.name, action.id);
      return true;
    case 'untag':
      void pane.setTag(action.name, undefined);
      return true;
    case 'select':
      pane.select(action.ref);
      return true;
    case 'toggle-steps':
      pane.toggleSteps(action.id);
      return true;
    case 'search-history':
      pane.searchHistory(action.search, action.filter);
      return true;
    case 'compare':
      compare(action, pane, workspace);
      return true;
    case 'snapshot':
      void pane.snapshot('snapshot');
      return true;
    case 'reopen':
      void pane.start();
      return true;
    case 'open-read-only':
      void pane.start({ readOnly: true });
      return true;
    case 'collect-garbage':
      void collectGarbage(pane, workspace);
      return true;
    case 'persist':
      void persist(pane, workspace);
      return true;
    case 'dismiss-machine':
      void workspace.shellFirst.dismissMachine(pane);
      toTerminal();
      return true;
    case 'load-machine':
      workspace.shellFirst.loadMachine(pane);
      return true;
    case 'export':
      void exportFiles(action.ref, pane);
      return true;
    case 'save-file':
      void saveSnapshotFile(action.id, { pane, workspace });
      return true;
    default:
      return false;
  }
}

/** One snapshot of all panes is marked. */
function mark(id: SnapshotId, pane: SandboxModel, workspace: Workspace): void {
  for (const other of workspace.panes)
    if (other !== pane && other.state.marked !== undefined) other.mark(other.state.marked);
  pane.mark(id);
}

/** Compares with the marked snapshot, of this pane or of another. */
function compare(
  { comparing, beside }: Extract<Action, { type: 'compare' }>,
  pane: SandboxModel,
  workspace: Workspace,
): void {
  const { marked, selected } = pane.state;
  const other = workspace.panes.find((open) => open !== pane && open.state.marked !== undefined);
  const there = other?.state.info?.id;
  if (comparing !== 'marked' || (marked !== undefined && marked !== selected))
    pane.compare(comparing, beside);
  else if (there !== undefined) pane.compare('beside', there);
  else {
    const text =
      'Nothing to compare with is marked: press M on another snapshot first, here or in another pane.';
    workspace.notices.add({ text, tone: 'info', about: pane });
  }
}

/** The snapshot disappears from the page at once, and is deleted when the notice goes, so an undo costs nothing. */
function removeSnapshot(id: SnapshotId, pane: SandboxModel, workspace: Workspace): void {
  const row = findRow(pane.state, id);
  if (row === undefined) return;
  const { snapshot, steps, isOpen } = row;
  const isHead = id === pane.state.history?.head;
  if (isHead || snapshot.tags.length > 0) {
    const text = isHead
      ? 'The current snapshot cannot be deleted. Go back to another one first.'
      : 'A snapshot with a tag cannot be deleted. Remove its tag first.';
    workspace.notices.add({ text, tone: 'error', about: snapshot });
    return;
  }
  const ids = isOpen ? [id] : [...steps.map((step) => step.id), id];
  pane.setHidden(ids, true);
  workspace.notices.add({
    text: `Deleted “${describeSnapshot(snapshot).slice(0, 60)}”, ${clockTime(snapshot.takenAtMs, Date.now())}.`,
    tone: 'info',
    action: { label: 'Undo', run: () => pane.setHidden(ids, false) },
    onExpire: () => void pane.remove(ids),
  });
}

function deleteSandbox(id: string, workspace: Workspace): void {
  const name = workspace.sandboxes.find((sandbox) => sandbox.id === id)?.name ?? id;
  workspace.setLeaving(id, true);
  workspace.notices.add({
    text: `Deleting sandbox “${name}” and all its snapshots.`,
    tone: 'error',
    action: { label: 'Undo', run: () => workspace.setLeaving(id, false) },
    onExpire: () => void workspace.delete(id),
  });
}

async function collectGarbage(pane: SandboxModel, workspace: Workspace): Promise<void> {
  const freed = await pane.collectGarbage();
  if (freed !== undefined) workspace.notices.add({ text: `Freed ${formatBytes(freed)}.`, tone: 'info' });
}

async function persist(pane: SandboxModel, workspace: Workspace): Promise<void> {
  const granted = await navigator.storage.persist();
  await pane.refreshStorage();
  const text = granted
    ? 'The browser keeps this storage until you delete it.'
    : 'The browser did not agree. It may clear this storage when the disk is full; download what matters.';
  workspace.notices.add({ text, tone: granted ? 'info' : 'error' });
}

/**
 * A link in a sandbox's output may lead elsewhere than its text says: the page shows the address before it opens
 * it.
 */
function offerLink(uri: string, workspace: Workspace): void {
  const url = URL.parse(uri);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return;
  workspace.notices.add({
    text: `The sandbox links to ${url.href}`,
    tone: 'info',
    action: { label: 'Open', run: () => window.open(url.href, '_blank', 'noopener,noreferrer') },
  });
}
