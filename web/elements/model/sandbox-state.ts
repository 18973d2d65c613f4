import type { ErrorData } from '../../../protocol/errors.ts';
import type { Moment } from '../../../protocol/recording.ts';
import type {
  CommandEnd,
  HistoryView,
  Progress,
  SandboxEvent,
  SandboxInfo,
  SnapshotInfo,
  StorageInfo,
  TreeRef,
} from '../../../protocol/sandbox.ts';
import type { ChangeSummary, SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { missingInTab } from './missing-in-tab.ts';
import type { MoveState, RuntimeOffer } from './move-state.ts';

/** The parts of the page that show their own errors. */
export type Area = 'history' | 'terminal' | 'changes' | 'files' | 'storage';

/** `moving`: a checkout is under way. `failed`: no machine runs; `failure` says why. */
export type Phase = 'starting' | 'ready' | 'moving' | 'failed' | 'closed';

/** Which two trees the changes panel compares. */
export type Comparing = 'step' | 'since' | 'marked' | 'beside';

/** Which snapshots the history lists. */
export type HistoryFilter = 'all' | 'tagged' | 'by-hand';

/** A state of the past that is shown: a moment, or a snapshot with the moment whose screens are those of then. */
export interface Scrubbing {
  readonly moment: number | undefined;
  readonly snapshot: SnapshotId | undefined;
  /** The machine is on its way there. */
  readonly isGoing: boolean;
}

/** What was left by going back: its files and, where the runtime keeps moments, all that ran. */
export interface WayBack {
  readonly atMs: number;
  readonly snapshot: SnapshotId | undefined;
  readonly moment: number | undefined;
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
  /** How much of the image is kept for use without network. */
  readonly kept: { readonly doneBytes: number; readonly totalBytes: number } | undefined;
  readonly problems: { readonly [area in Area]?: ErrorData };
  /** What its machine can go back to, oldest first. */
  readonly moments: readonly Moment[];
  /** The state of the past that the terminals show, or that the machine is going to. */
  readonly scrubbing: Scrubbing | undefined;
  /** What was left by the last going back. */
  readonly wayBack: WayBack | undefined;
  readonly selected: TreeRef;
  readonly marked: SnapshotId | undefined;
  readonly comparing: Comparing;
  /** The id of the sandbox of another pane that this one is compared with. */
  readonly beside: string | undefined;
  /** Snapshots whose deletion can still be undone: not shown, not yet gone. */
  readonly hidden: ReadonlySet<SnapshotId>;
  /** Oldest captures of the runs whose captures are listed one by one. */
  readonly opened: ReadonlySet<SnapshotId>;
  /** What folded captures changed together, where that was counted. */
  readonly counted: ReadonlyMap<string, ChangeSummary>;
  /** Words that the listed snapshots have, and which of them are listed. */
  readonly search: string;
  readonly filter: HistoryFilter;
  /** Work that leaves this sandbox for another place, or failed to. */
  readonly move: MoveState | undefined;
  /** The last command that may have ended for want of what this place has not. */
  readonly trouble: CommandEnd | undefined;
  /** A remark that it would do better elsewhere. */
  readonly offer: RuntimeOffer | undefined;
}

/** What a shell tells of a program that cannot be executed, and of one that was killed. */
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
  moments: [],
  scrubbing: undefined,
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
  move: undefined,
  trouble: undefined,
  offer: undefined,
};

const nothingPending: ChangeSummary = { created: 0, modified: 0, deleted: 0, paths: [] };

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
      return mayLack.has(event.exitCode) || missingInTab(event) !== undefined
        ? { ...state, trouble: event }
        : state;
    case 'closed':
      return { ...state, phase: 'closed' };
    case 'history':
    case 'recording':
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
