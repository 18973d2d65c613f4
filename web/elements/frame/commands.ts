import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import type { Action } from '../model/actions.ts';
import type { SandboxChoice } from '../model/sandbox-choices.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { findSnapshot, runsInShell, type SandboxState } from '../model/sandbox-state.ts';
import { plainLine } from '../text/describe-snapshot.ts';

/** One entry of the command palette. */
export interface Command {
  readonly title: string;
  /** The key that does the same, where there is one. */
  readonly keys?: string;
  readonly action: Action;
}

/** The commands that are possible now, most useful first. */
export function listCommands(
  state: SandboxState | undefined,
  {
    panes,
    active,
    choices = [],
  }: {
    panes: readonly SandboxModel[];
    active: SandboxModel | undefined;
    choices?: readonly SandboxChoice[];
  },
): Command[] {
  const isOnHost = active?.host !== undefined;
  const commands: Command[] = [...snapshotCommands(state), ...failureCommands(state)];
  if (state?.phase === 'ready' && !state.readOnly) {
    commands.push(
      { title: 'Take a snapshot', action: { type: 'snapshot' } },
      { title: 'New terminal', action: { type: 'new-terminal' } },
      { title: 'Race candidates', action: { type: 'race-candidates' } },
    );
    if (state.checkpoints.length > 0)
      commands.push(
        {
          title: 'Fork now, with running programs, into a pane',
          keys: 'F',
          action: { type: 'fork-running' },
        },
        { title: 'Save now, with running programs, as a file', action: { type: 'save-file', id: undefined } },
      );
  }
  if (state?.wayBack !== undefined) {
    commands.push({ title: 'Undo going back', action: { type: 'undo-going-back' } });
  }
  if (state?.phase === 'ready') {
    commands.push(
      isOnHost
        ? { title: 'Bring back into this tab', action: { type: 'bring-back' } }
        : { title: 'Run on a host', action: { type: 'run-on-host' } },
    );
    if (!isOnHost && runsInShell(state))
      commands.push({ title: 'Run in a machine in this tab', action: { type: 'run-in-machine' } });
  }
  commands.push(
    { title: 'Go to the history', action: { type: 'focus', region: 'history' } },
    { title: 'Go to the terminal', action: { type: 'focus', region: 'terminal' } },
    { title: 'Go to the changes', action: { type: 'focus', region: 'changes' } },
    { title: 'Go to the files', action: { type: 'focus', region: 'files' } },
    { title: 'Go to git', action: { type: 'focus', region: 'git' } },
    { title: 'Go to the timeline', action: { type: 'focus', region: 'timeline' } },
  );
  if (state?.history !== undefined) {
    commands.push(
      ...compareCommands(state, { panes, active }),
      { title: 'Share now as a link or a file', action: { type: 'share', id: undefined } },
      { title: 'Save this session as a recording', action: { type: 'save-session' } },
      { title: 'Download all files now as tar', action: { type: 'export', ref: 'now' } },
      { title: 'Free unused storage', action: { type: 'collect-garbage' } },
    );
  }
  if (state?.storage?.persisted === false) {
    commands.push({ title: 'Ask the browser to keep the storage', action: { type: 'persist' } });
  }
  return [...commands, ...paneCommands({ panes, active }), ...pageCommands(choices)];
}

/** Commands for a sandbox that could not be opened, or that failed. */
function failureCommands(state: SandboxState | undefined): Command[] {
  if (state?.phase !== 'failed') return [];
  const commands: Command[] = [{ title: 'Try to open the sandbox again', action: { type: 'reopen' } }];
  const stored = state.failure?.details.sandbox;
  if (state.failure?.code === 'busy') {
    commands.push(
      { title: 'Fork the sandbox of another tab into this one', action: { type: 'fork-busy' } },
      { title: 'Look only at the sandbox of another tab', action: { type: 'open-read-only' } },
    );
  } else if (typeof stored === 'string') {
    commands.push({ title: 'Download what is here', action: { type: 'export-stored', sandbox: stored } });
  }
  return commands;
}

function compareCommands(
  state: SandboxState,
  { panes, active }: { panes: readonly SandboxModel[]; active: SandboxModel | undefined },
): Command[] {
  const commands: Command[] = [
    { title: 'Compare with the step before', action: { type: 'compare', comparing: 'step' } },
  ];
  if (state.selected !== 'now') {
    commands.push({
      title: 'Compare the selected snapshot with now',
      action: { type: 'compare', comparing: 'since' },
    });
  }
  if (state.marked !== undefined && state.marked !== state.selected) {
    commands.push({
      title: 'Compare with the marked snapshot',
      action: { type: 'compare', comparing: 'marked' },
    });
  }
  for (const other of panes) {
    const { info } = other.state;
    if (other === active || info === undefined) continue;
    const title = `Compare with the pane “${plainLine(info.name, 40)}”`;
    commands.push({ title, action: { type: 'compare', comparing: 'beside', beside: info.id } });
  }
  return commands;
}

function paneCommands({
  panes,
  active,
}: {
  panes: readonly SandboxModel[];
  active: SandboxModel | undefined;
}): Command[] {
  const commands: Command[] = [];
  for (const pane of panes) {
    const name = plainLine(pane.state.info?.name ?? '', 40);
    if (pane !== active)
      commands.push({ title: `Go to the pane “${name}”`, action: { type: 'activate', pane } });
  }
  if (active !== undefined && panes.length > 1) {
    commands.push({ title: 'Close this pane', action: { type: 'close-pane', pane: active } });
  }
  const id = active?.state.info?.id;
  if (id !== undefined && active?.host === undefined) {
    commands.push(
      { title: 'Rename this sandbox', action: { type: 'open-sandboxes', renaming: id } },
      { title: 'Delete this sandbox', action: { type: 'delete-sandbox', sandbox: id } },
    );
  }
  return commands;
}

function snapshotCommands(state: SandboxState | undefined): Command[] {
  const id = state?.selected;
  if (state === undefined || id === undefined || id === 'now') return [];
  return [
    { title: 'Go back to the selected snapshot', keys: 'Enter', action: { type: 'go-back', snapshot: id } },
    { title: 'Fork the selected snapshot into a pane', keys: 'F', action: { type: 'fork', id } },
    { title: 'Share the selected snapshot as a link or a file', action: { type: 'share', id } },
    { title: 'Tag the selected snapshot', keys: 'T', action: { type: 'start-tagging' } },
    ...tagsOf(state, id).map(
      (name): Command => ({
        title: `Remove the tag “${plainLine(name, 40)}”`,
        action: { type: 'untag', name },
      }),
    ),
    { title: 'Mark the selected snapshot', keys: 'M', action: { type: 'mark', id } },
    { title: 'Download the selected snapshot as tar', action: { type: 'export', ref: id } },
    { title: 'Save the selected snapshot as a file', action: { type: 'save-file', id } },
    { title: 'Delete the selected snapshot', keys: 'Delete', action: { type: 'remove', id } },
  ];
}

function tagsOf(state: SandboxState, id: SnapshotId): readonly string[] {
  return findSnapshot(state, id)?.tags ?? [];
}

/** A command for each place where a new sandbox can run now. */
function newSandboxCommands(choices: readonly SandboxChoice[]): Command[] {
  return choices
    .filter(({ unavailable }) => unavailable === undefined)
    .map(({ title, place, action }) => ({
      title: `New ${title.toLowerCase()} ${plainLine(place, 60)}`,
      action,
    }));
}

function pageCommands(choices: readonly SandboxChoice[]): Command[] {
  return [
    { title: 'Hosts', action: { type: 'open-bridges' } },
    { title: 'Sandboxes in this browser', action: { type: 'open-sandboxes' } },
    { title: 'Open a snapshot from a file', action: { type: 'open-file' } },
    { title: 'Watch a recording of a session', action: { type: 'open-recording' } },
    { title: 'Watch demos', action: { type: 'open-demos' } },
    { title: 'New sandbox', action: { type: 'choose-sandbox' } },
    ...newSandboxCommands(choices),
    { title: 'Switch light and dark', action: { type: 'toggle-theme' } },
    { title: 'Larger terminal text', action: { type: 'font-size', deltaPx: 1 } },
    { title: 'Smaller terminal text', action: { type: 'font-size', deltaPx: -1 } },
    { title: 'Screen reader mode of the terminal on or off', action: { type: 'toggle-screen-reader' } },
    { title: 'Single-key shortcuts on or off', action: { type: 'toggle-single-keys' } },
    { title: 'Suggestions to run on a host on or off', action: { type: 'toggle-suggestions' } },
    {
      title: 'Shell on first visits while the machine loads on or off',
      action: { type: 'toggle-shell-first' },
    },
    { title: 'Keyboard shortcuts', keys: '?', action: { type: 'open-shortcuts' } },
  ];
}

/** The commands whose title has every word of `query`, in their order. */
export function searchCommands(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/);
  return commands.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
}
