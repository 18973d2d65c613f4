import type { Change } from '../../../protocol/sandbox/history.ts';
import type { ChangeSummary, SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { countKey, timelineRows } from './history-rows.ts';
import type { SandboxState } from './sandbox-state.ts';

/** Delay after the last capture, so that a running command is not counted again after each. */
const quietMs = 3_000;
/** The newest rows, which are counted without delay. */
const mostRows = 30;
const listedPaths = 64;

/**
 * Counts the combined changes of a row's folded captures, by comparing the first one's parent with the last: a file
 * that one created and the next modified counts once. Until then the row shows the sum.
 */
export class StepCounter implements Disposable {
  readonly #state: () => SandboxState;
  readonly #diff: (from: SnapshotId, to: SnapshotId) => Promise<readonly Change[]>;
  readonly #onCounted: (counted: ReadonlyMap<string, ChangeSummary>) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: {
    readonly state: () => SandboxState;
    readonly diff: (from: SnapshotId, to: SnapshotId) => Promise<readonly Change[]>;
    readonly onCounted: (counted: ReadonlyMap<string, ChangeSummary>) => void;
  }) {
    this.#state = parts.state;
    this.#diff = parts.diff;
    this.#onCounted = parts.onCounted;
  }

  /** Call it when the history changes. */
  noteHistory(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#count(), quietMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  async #count(): Promise<void> {
    const uncounted = timelineRows(this.#state()).filter(
      (row) =>
        row.steps.length > 0 && !row.isOpen && !this.#state().counted.has(countKey(row.snapshot, row.steps)),
    );
    for (const row of uncounted.slice(-mostRows)) {
      const from = row.steps[0]?.parents[0];
      // A row that is deleted meanwhile is not counted any more.
      const changes = from && (await this.#diff(from, row.snapshot.id).catch(() => undefined));
      const key = countKey(row.snapshot, row.steps);
      if (changes) this.#onCounted(new Map([...this.#state().counted, [key, summarize(changes)]]));
    }
  }
}

function summarize(changes: readonly Change[]): ChangeSummary {
  const files = changes.filter(({ isDirectory }) => isDirectory !== true);
  const count = (...types: Change['type'][]): number =>
    files.filter(({ type }) => types.includes(type)).length;
  return {
    created: count('created'),
    modified: count('modified', 'metadata', 'renamed'),
    deleted: count('deleted'),
    paths: files.slice(0, listedPaths).map(({ path }) => path),
  };
}
