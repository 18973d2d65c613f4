import { limits } from '../../protocol/limits.ts';
import type { CaptureWatch } from '../../protocol/sandbox-report.ts';
import type { ChangedBy, FolderWatch, FolderWatcher, Jail, RootMount } from '../contract.ts';

export interface ChangeFinderParts {
  readonly mount: RootMount;
  /** Directories whose changes are a reason for nothing. */
  readonly ignored: readonly string[];
  readonly jail: Pick<Jail, 'isAlone' | 'usage' | 'mapsShared' | 'pidNamespace'>;
  readonly watcher: Pick<FolderWatcher, 'watch'>;
  /** Looks for changes now, unless it rests. */
  readonly look: () => void;
  /** Told when something has changed, or may have. */
  readonly onChanged: (by: ChangedBy | undefined) => void;
}

/** Looks that found what had raised no event, with no event between them, after which nothing is left to watches. */
const mostMissed = 2;

/**
 * Finds out when files of a running jail have changed that no command and no client tells of: by a watch where there is
 * one. No watch tells of what is written through mappings, so while there are any the files are looked at now and then; and
 * every minute anyway, as a watch may miss something.
 */
export class ChangeFinder implements Disposable {
  readonly #parts: ChangeFinderParts;
  readonly #watch: FolderWatch;
  readonly #timer: ReturnType<typeof setInterval>;
  #lookedAtMs = performance.now();
  /** What its processes had computed when the last look began. */
  #cpuMs: number | undefined;
  /** Whether an event came since the last look began. */
  #hasPendingEvent = false;
  /** Of the look that has begun: whether an event came before it. */
  #hadEvent = false;
  /** Set after a look that failed. */
  #isBehind = false;
  /** Whether the next look is the one of each minute, with no other reason. */
  #isPeriodicScan = false;
  #missed = 0;
  /** Of the jail, once it was asked for. */
  #namespace: Promise<number | undefined> | undefined;
  #isDisposed = false;
  #isAsking = false;

  constructor(parts: ChangeFinderParts) {
    this.#parts = parts;
    this.#watch = parts.watcher.watch(watchedFolder(parts.mount), {
      ignored: parts.ignored,
      onChanged: (by) => this.#onEvent(by),
      // What happened before has raised no event; init alone changes nothing.
      onState: () => parts.jail.isAlone() || this.#onEvent(undefined),
    });
    this.#timer = setInterval(() => void this.#tick(), limits.hostLookIntervalMs);
  }

  /** How changes are found. */
  get state(): CaptureWatch {
    if (this.#missed < mostMissed) return this.#watch.state;
    return { by: 'polling', why: 'watches did not tell of everything' };
  }

  /**
   * To be called when nothing runs any more and files are about to be looked at. Nothing may run again before what it
   * answers resolves: events that come until then are of what is looked at. `isAlone`: only init is there, which changes
   * nothing, and there is nothing to wait for.
   */
  async begin({ isAlone = false }: { readonly isAlone?: boolean } = {}): Promise<void> {
    // Not when the look ends: its processes run again by then.
    this.#cpuMs = this.#parts.jail.usage().cpuMs;
    this.#hadEvent = this.#hasPendingEvent;
    this.#hasPendingEvent = false;
    if (!isAlone && (await this.#watch.drain()) === 'changed') this.#hadEvent = true;
  }

  /** They were looked at; `hasChanged` is what was found. */
  noteLook({ hasChanged }: { readonly hasChanged: boolean }): void {
    if (this.#hadEvent) this.#missed = 0;
    else if (this.#isPeriodicScan && hasChanged && this.#isTrusted) this.#missed++;
    this.#lookedAtMs = performance.now();
    this.#isBehind = false;
    this.#isPeriodicScan = false;
  }

  /** They could not be looked at. */
  noteFailure(): void {
    this.#isBehind = true;
    if (this.#hadEvent) this.#hasPendingEvent = true;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearInterval(this.#timer);
    this.#watch[Symbol.dispose]();
  }

  /** Whether a watch is to tell of everything. */
  get #isTrusted(): boolean {
    return this.#watch.state.by !== 'polling' && this.#parts.ignored.length === 0;
  }

  #onEvent(by: ChangedBy | undefined): void {
    this.#hasPendingEvent = true;
    if (by === undefined || by.words.length === 0) this.#parts.onChanged(by);
    else void this.#withOwnWords(by).then((own) => this.#isDisposed || this.#parts.onChanged(own));
  }

  /** A process outside of the jail, which may change files in the root as well, has words that are not for its history. */
  async #withOwnWords(by: ChangedBy): Promise<ChangedBy> {
    this.#namespace ??= this.#parts.jail.pidNamespace();
    const own = await this.#namespace.catch(() => undefined);
    if (own === undefined) this.#namespace = undefined;
    return own === by.namespace ? by : { ...by, words: [] };
  }

  async #tick(): Promise<void> {
    if (this.state.by === 'polling' || this.#isBehind) this.#parts.look();
    else if (performance.now() - this.#lookedAtMs >= limits.hostLookWatchedMs) {
      this.#isPeriodicScan = true;
      this.#parts.look();
    } else if (!this.#isAsking && this.#hasComputed()) {
      this.#isAsking = true;
      // Which processes there are may change while they are asked: it is a reason to look, and no more.
      const maps = await this.#parts.jail.mapsShared().catch(() => true);
      this.#isAsking = false;
      if (maps) this.#parts.look();
    }
  }

  /** Whether its processes may have run since the last look. */
  #hasComputed(): boolean {
    const { jail } = this.#parts;
    const { cpuMs } = jail.usage();
    return (cpuMs === undefined || cpuMs !== this.#cpuMs) && !jail.isAlone();
  }
}

/** Where a root's changes come to be. */
function watchedFolder(mount: RootMount): string {
  return mount.type === 'overlay' ? mount.upper : mount.path;
}
