import { limits } from '../../protocol/limits.ts';
import type { CaptureWatch } from '../../protocol/sandbox-report.ts';
import type { ChangedBy, Drained, FolderWatch, WatchListener } from '../contract.ts';

export interface WatchedFolderParts {
  /** Directories in it whose changes are not told of, as paths below. */
  readonly ignored: readonly string[];
  readonly listener: WatchListener;
  /** Asks the watcher to tell of all that has happened until now. */
  readonly drain: () => void;
  /** Has the watcher forget this folder. */
  readonly remove: () => void;
}

/** Asked of the watcher, and not answered yet. */
interface Drain {
  readonly timer: ReturnType<typeof setTimeout>;
  readonly end: (drained: Drained) => void;
  /** Nobody waits for it any more. */
  isLate: boolean;
  changedBy: ChangedBy | undefined;
}

/** What is known of one folder that is watched. */
export class WatchedFolder implements FolderWatch {
  readonly path: string;
  readonly #parts: WatchedFolderParts;
  /** In the order in which they are answered. */
  #drains: Drain[] = [];
  #state: CaptureWatch = { by: 'polling', why: 'it is not watched yet' };
  #isDisposed = false;

  constructor(path: string, parts: WatchedFolderParts) {
    this.path = path;
    this.#parts = parts;
  }

  get ignored(): readonly string[] {
    return this.#parts.ignored;
  }

  get state(): CaptureWatch {
    return this.#state;
  }

  async drain(): Promise<Drained> {
    if (this.#isDisposed || this.#state.by === 'polling') return 'unknown';
    const { promise, resolve } = Promise.withResolvers<Drained>();
    const drain: Drain = {
      timer: setTimeout(() => this.#giveUp(drain), limits.hostWatchDrainMs),
      end: resolve,
      isLate: false,
      changedBy: undefined,
    };
    this.#drains.push(drain);
    this.#parts.drain();
    return promise;
  }

  /** How it is watched from now on. */
  noteState(state: CaptureWatch): void {
    const wasWatched = this.#state.by !== 'polling';
    this.#state = state;
    if (state.by === 'polling') this.#endDrains();
    // How many watches there are changes all the time.
    if (!this.#isDisposed && wasWatched !== (state.by !== 'polling')) this.#parts.listener.onState();
  }

  /** What is asked for while it is told of happened before that. */
  noteChange(by: ChangedBy): void {
    if (this.#isDisposed) return;
    const drain = this.#drains.find(({ isLate }) => !isLate);
    if (drain) drain.changedBy = by;
    else this.#parts.listener.onChanged(by);
  }

  noteDrained(): void {
    const drain = this.#drains.shift();
    if (drain === undefined) return;
    clearTimeout(drain.timer);
    drain.end(drain.changedBy ? 'changed' : 'unchanged');
  }

  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#endDrains();
    this.#parts.remove();
  }

  /** What was told meanwhile may have happened after. */
  #giveUp(drain: Drain): void {
    drain.isLate = true;
    drain.end('unknown');
    if (drain.changedBy) this.#parts.listener.onChanged(drain.changedBy);
  }

  #endDrains(): void {
    for (const { timer, end } of this.#drains) {
      clearTimeout(timer);
      end('unknown');
    }
    this.#drains = [];
  }
}
