import type { Action } from '../model/actions.ts';
import type { SandboxState } from '../model/sandbox-state.ts';

/** One entry of the command palette. */
export interface Command {
  readonly title: string;
  /** The key that does the same, where there is one. */
  readonly keys?: string;
  readonly action: Action;
}

/** What can be done now, most wanted first; what cannot is not listed. */
export function listCommands(
  state: SandboxState | undefined,
  { panes, isOnHost }: { panes: number; isOnHost: boolean },
): Command[] {
  const commands: Command[] = [...snapshotCommands(state)];
  if (state?.phase === 'ready' && !state.readOnly) {
    commands.push(
      { title: 'Take a snapshot', action: { type: 'snapshot' } },
      { title: 'New terminal', action: { type: 'new-terminal' } },
    );
    if (state.moments.length > 0)
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
  }
  commands.push(
    { title: 'Go to the history', action: { type: 'focus', region: 'history' } },
    { title: 'Go to the terminal', action: { type: 'focus', region: 'terminal' } },
    { title: 'Go to the changes', action: { type: 'focus', region: 'changes' } },
    { title: 'Go to the files', action: { type: 'focus', region: 'files' } },
    { title: 'Go to the timeline', action: { type: 'focus', region: 'timeline' } },
  );
  if (state?.history !== undefined) {
    commands.push(
      { title: 'Download all files now as tar', action: { type: 'export', ref: 'now' } },
      { title: 'Free unused storage', action: { type: 'collect-garbage' } },
    );
  }
  if (state?.storage?.persisted === false) {
    commands.push({ title: 'Ask the browser to keep the storage', action: { type: 'persist' } });
  }
  return [...commands, ...pageCommands(panes)];
}

function snapshotCommands(state: SandboxState | undefined): Command[] {
  const id = state?.selected;
  if (state === undefined || id === undefined || id === 'now') return [];
  return [
    { title: 'Go back to the selected snapshot', keys: 'Enter', action: { type: 'checkout', id } },
    { title: 'Fork the selected snapshot into a pane', keys: 'F', action: { type: 'fork', id } },
    { title: 'Mark the selected snapshot', keys: 'M', action: { type: 'mark', id } },
    { title: 'Download the selected snapshot as tar', action: { type: 'export', ref: id } },
    { title: 'Save the selected snapshot as a file', action: { type: 'save-file', id } },
    { title: 'Delete the selected snapshot', keys: 'Delete', action: { type: 'remove', id } },
  ];
}

function pageCommands(panes: number): Command[] {
  return [
    { title: 'Hosts', action: { type: 'open-bridges' } },
    { title: 'Sandboxes in this browser', action: { type: 'open-sandboxes' } },
    { title: 'Open a snapshot from a file', action: { type: 'open-file' } },
    { title: panes > 1 ? 'New sandbox in this pane' : 'New sandbox', action: { type: 'new-sandbox' } },
    { title: 'Switch light and dark', action: { type: 'toggle-theme' } },
    { title: 'Larger terminal text', action: { type: 'font-size', deltaPx: 1 } },
    { title: 'Smaller terminal text', action: { type: 'font-size', deltaPx: -1 } },
    { title: 'Screen reader mode of the terminal on or off', action: { type: 'toggle-screen-reader' } },
    { title: 'Single-key shortcuts on or off', action: { type: 'toggle-single-keys' } },
    { title: 'Suggestions to run on a host on or off', action: { type: 'toggle-suggestions' } },
    { title: 'Keyboard shortcuts', keys: '?', action: { type: 'open-shortcuts' } },
  ];
}

/** The commands whose title has every word of `query`, in their order. */
export function searchCommands(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/);
  return commands.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
}
