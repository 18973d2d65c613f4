import type { Checkpoint } from '../../../protocol/checkpoint.ts';
import type { ErrorData } from '../../../protocol/errors.ts';
import { describeRuntime } from '../../../protocol/runtime-description.ts';
import type { CommandEnd, SandboxEvent } from '../../../protocol/sandbox/events.ts';
import type { HistoryView, SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import type { Progress } from '../../../protocol/sandbox/progress.ts';
import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import type { SandboxInfo, StorageInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import type { ChangeSummary, SnapshotId } from '../../../tree/history/snapshot-record.ts';
import type { LoadingMachine } from './machine-ahead.ts';
import { lackOf } from './missing-in-tab.ts';
import type { MoveState, RuntimeOffer } from './move-state.ts';

/** The parts of the page that show their own errors. */
export type Area = 'history' | 'terminal' | 'changes' | 'files' | 'storage';

/** `moving`: a checkout is under way. `failed`: no machine runs; `failure` says why. */
export type Phase = 'starting' | 'ready' | 'moving' | 'failed' | 'closed';

/** The two trees that the changes panel compares. */
export type Comparing = 'step' | 'since' | 'marked' | 'beside';

/** Which snapshots the history lists. */
export type HistoryFilter = 'all' | 'tagged' | 'by-hand';

/** A past state that is shown: a checkpoint, or a snapshot with the checkpoint that has its screens. */
export interface Scrubbing {
  readonly checkpoint: number | undefined;
  readonly snapshot: SnapshotId | undefined;
  /** The machine is being restored to it. */
  readonly isGoing: boolean;
}

/** The state before a checkout or restore: its snapshot and, if the runtime keeps checkpoints, its checkpoint. */
export interface WayBack {
  readonly atMs: number;
  readonly snapshot: SnapshotId | undefined;
  readonly checkpoint: number | undefined;
}

/** Everything the page shows of one sandbox. Immutable; each change makes a new one. */
export interface SandboxState {
  readonly phase: Phase;
  readonly readOnly: boolean;
  readonly info: SandboxInfo | undefined;
  readonly progress: Progress | undefined;
  readonly history: HistoryView | undefined;
  readonly storage: StorageInfo | undefined;
  /** Why no machine runs, when none does. */
  readonly failure: ErrorData | undefined;
  readonly captureStopped: ErrorData | undefined;
  /** How much of the image is stored for offline use. */
  readonly kept: { readonly doneBytes: number; readonly totalBytes: number } | undefined;
  readonly problems: { readonly [area in Area]?: ErrorData };
  /** The machine's checkpoints, oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** The past state that the terminals show, or to which the machine is being restored. */
  readonly scrubbing: Scrubbing | undefined;
  /** Whether going back takes the files only, also where programs are kept. */
  readonly filesOnly: boolean;
  /** The state before the last checkout or restore. */
  readonly wayBack: WayBack | undefined;
  readonly selected: TreeRef;
  readonly marked: SnapshotId | undefined;
  readonly comparing: Comparing;
  /** The id of the sandbox of another pane that this one is compared with. */
  readonly beside: string | undefined;
  /** Snapshots whose deletion can still be undone: hidden, but not deleted yet. */
  readonly hidden: ReadonlySet<SnapshotId>;
  /** The open runs, each by its oldest capture. */
  readonly opened: ReadonlySet<SnapshotId>;
  /** Combined changes of folded captures, where they were counted. */
  readonly counted: ReadonlyMap<string, ChangeSummary>;
  /** The history's search words, and which kinds of snapshots are listed. */
  readonly search: string;
  readonly filter: HistoryFilter;
  /** Why it runs where it does, in a sentence, if it was moved there. */
  readonly why: string | undefined;
  /** A move of this sandbox to another backend, under way or failed. */
  readonly move: MoveState | undefined;
  /** The last command that may have failed because this tab lacks something. */
  readonly trouble: CommandEnd | undefined;
  /** A suggestion to run it on a host. */
  readonly offer: RuntimeOffer | undefined;
  /** A machine that loads while this shell is used. */
  readonly machine: LoadingMachine | undefined;
  /** Whether the user has typed or changed anything in it since it was opened. */
  readonly isUsed: boolean;
}

/** Exit codes of a program that cannot be executed, and of one that was killed. */
const mayLack: ReadonlySet<number> = new Set([126, 137]);

export const initialState: SandboxState = {
  phase: 'starting',
  readOnly: false,
  info: undefined,
  progress: undefined,
  history: undefined,
  storage: undefined,
  failure: undefined,
  captureStopped: undefined,
  kept: undefined,
  problems: {},
  checkpoints: [],
  scrubbing: undefined,
  filesOnly: false,
  wayBack: undefined,
  selected: 'now',
  marked: undefined,
  comparing: 'step',
  beside: undefined,
  hidden: new Set(),
  opened: new Set(),
  counted: new Map(),
  search: '',
  filter: 'all',
  why: undefined,
  move: undefined,
  trouble: undefined,
  offer: undefined,
  machine: undefined,
  isUsed: false,
};

const nothingPending: ChangeSummary = { created: 0, modified: 0, deleted: 0, paths: [] };

/** Whether programs of the sandbox are functions of a shell in the process, without Linux. */
export function runsInShell({ info }: { readonly info?: SandboxInfo | undefined }): boolean {
  return describeRuntime(info?.runtime)?.linux === false;
}

/** The state after `event`. Events that repeat what is known change nothing. */
export function reduceEvent(state: SandboxState, event: SandboxEvent): SandboxState {
  switch (event.type) {
    case 'progress':
      return reduceProgress(state, event.progress);
    case 'ready':
      return { ...state, phase: 'ready', failure: undefined };
    case 'snapshot':
      return withHistory(state, (history) => ({
        snapshots: appendSnapshot(history.snapshots, event.snapshot),
        head: event.head,
        pending: nothingPending,
      }));
    case 'head':
      return withHistory(state, (history) => ({ ...history, head: event.head }));
    case 'pending':
      return withHistory(state, (history) => ({ ...history, pending: event.pending }));
    case 'capture-stopped':
      return { ...state, captureStopped: event.error };
    case 'capture-resumed':
      return { ...state, captureStopped: undefined };
    case 'offline':
      return { ...state, kept: { doneBytes: event.doneBytes, totalBytes: event.totalBytes } };
    case 'machine-failed':
      return { ...state, phase: 'failed', failure: event.error };
    case 'memory-refused':
      return { ...state, problems: { ...state.problems, terminal: event.error } };
    case 'command':
      return {
        ...state,
        // A suggestion is for the command before it.
        offer: undefined,
        ...(mayLack.has(event.exitCode) || lackOf(event, runsInShell(state)) !== undefined
          ? { trouble: event }
          : {}),
      };
    case 'closed':
      return { ...state, phase: 'closed' };
    case 'history':
    case 'checkpoints':
    case 'port':
      return state;
  }
}

/** The snapshots that are shown, oldest first. */
export function visibleSnapshots(state: Pick<SandboxState, 'history' | 'hidden'>): readonly SnapshotInfo[] {
  const all = state.history?.snapshots ?? [];
  return state.hidden.size === 0 ? all : all.filter((snapshot) => !state.hidden.has(snapshot.id));
}

/** The snapshot of that id, when it is kept. */
export function findSnapshot(
  state: Pick<SandboxState, 'history'>,
  id: TreeRef | undefined,
): SnapshotInfo | undefined {
  return state.history?.snapshots.find((snapshot) => snapshot.id === id);
}

function reduceProgress(state: SandboxState, progress: Progress): SandboxState {
  if (progress.stage === 'ready') return { ...state, progress, phase: 'ready', failure: undefined };
  // Whoever has the machine started anew says itself when it is there again.
  if (progress.stage === 'unpack') return { ...state, progress };
  const phase = progress.stage === 'checkout' ? 'moving' : 'starting';
  return { ...state, progress, phase };
}

function withHistory(state: SandboxState, change: (history: HistoryView) => HistoryView): SandboxState {
  return state.history === undefined ? state : { ...state, history: change(state.history) };
}

function appendSnapshot(known: readonly SnapshotInfo[], added: SnapshotInfo): readonly SnapshotInfo[] {
  const others = known.some((snapshot) => snapshot.id === added.id)
    ? known.filter((snapshot) => snapshot.id !== added.id)
    : known;
  return [...others, added];
}
