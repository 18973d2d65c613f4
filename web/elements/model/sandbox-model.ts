import { after } from '../../../protocol/after.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { CloseOptions, SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { SandboxEvent } from '../../../protocol/sandbox/events.ts';
import type { CheckoutOptions, SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import type { Progress } from '../../../protocol/sandbox/progress.ts';
import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { isUnsaved } from '../../../protocol/unsaved-changes.ts';
import type { ShellContext } from '../../../sdk/shell-context.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { findRow } from './history-rows.ts';
import type { HostPlace } from './host-place.ts';
import type { LoadingMachine } from './machine-ahead.ts';
import type { MoveState, RuntimeOffer } from './move-state.ts';
import {
  type Area,
  type Comparing,
  type HistoryFilter,
  initialState,
  reduceEvent,
  type SandboxState,
  type WayBack,
} from './sandbox-state.ts';
import { StepCounter } from './step-counter.ts';

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** How a model gets its connection; called again by `start` after a failure. */
export type OpenSandbox = (
  options: { readonly readOnly: boolean; readonly signal: AbortSignal },
  onProgress: (progress: Progress) => void,
) => Promise<SandboxConnection>;

/**
 * One sandbox as the elements see it: its state, a `change` event when the state changes, and the user's
 * operations. A call that fails puts its error into `state.problems` of its area and resolves to `undefined`;
 * nothing here rejects. Owns its connection until `close`.
 */
export class SandboxModel extends EventTarget {
  /** The host on which it runs, if it does not run in this tab. */
  readonly host: HostPlace | undefined;
  readonly #open: OpenSandbox;
  #connection: SandboxConnection | undefined;
  #unsubscribe: (() => void) | undefined;
  /** Aborts the current start, if there is one. */
  #starting = new AbortController();
  #state: SandboxState = initialState;
  #announced = false;
  #drawing = false;
  #shellShown = Promise.withResolvers<void>();
  #nextShell: ShellContext | undefined;
  readonly #steps: StepCounter = new StepCounter({
    state: () => this.#state,
    diff: async (from, to) => {
      if (this.#connection === undefined)
        throw new SandboxError('connection-lost', 'The sandbox is not open.');
      return this.#connection.history.diff({ from, to });
    },
    onCounted: (counted) => this.#update({ counted }),
  });
  #shownIn: TerminalSize | undefined;
  #terminalSize: TerminalSize | undefined;

  constructor(
    open: OpenSandbox,
    options: {
      host?: HostPlace | undefined;
      shell?: ShellContext | undefined;
      shownIn?: TerminalSize | undefined;
    } = {},
  ) {
    super();
    this.#open = open;
    this.host = options.host;
    this.#nextShell = options.shell;
    this.#shownIn = options.shownIn;
  }

  get state(): SandboxState {
    return this.#state;
  }

  /** The open connection, for terminals and file views; `undefined` before and after. */
  get connection(): SandboxConnection | undefined {
    return this.#connection;
  }

  /** Opens the sandbox and follows its events. Resolves when it is open or `state.failure` is set. */
  async start(options: { readOnly?: boolean } = {}): Promise<void> {
    const readOnly = options.readOnly ?? false;
    const released = this.#release();
    const { signal } = this.#starting;
    await released;
    if (signal.aborted) return;
    this.#shellShown = Promise.withResolvers();
    const gone = {
      failure: undefined,
      progress: undefined,
      history: undefined,
      scrubbing: undefined,
      wayBack: undefined,
    } as const;
    const fresh = { ...gone, phase: 'starting', checkpoints: [] } as const;
    this.#update({ ...fresh, readOnly });
    try {
      const connection = await this.#open({ readOnly, signal }, (progress) => this.#showProgress(progress));
      // It came after its caller had given up, so it must be closed here.
      if (signal.aborted) return await connection.close().catch(() => undefined);
      this.#connection = connection;
      this.#update({ phase: 'ready' });
      // Subscribe before reading the history: earlier events are part of what is read, and
      // later ones are applied to it, so nothing is missed or counted twice.
      this.#unsubscribe = await connection.events.subscribe({ after: 0 }, (event) => this.#receive(event));
      // A start keeps all processors busy, so work that the user has not asked for waits.
      if (!readOnly) await Promise.race([this.#shellShown.promise, after(limits.shellHeadStartMs)]);
      const reading = connection.history.get();
      reading.catch(() => undefined); // Told below.
      this.#update({ info: await connection.info.get() });
      this.#update({ history: await reading });
      await this.refreshStorage();
    } catch (error) {
      if (signal.aborted) return; // It was closed, or is being started again.
      this.#update({ phase: 'failed', failure: SandboxError.from(error).toData() });
    }
  }

  /** Sets the sandbox's info from another source: for the name of one that could not be opened, or was renamed. */
  describe(info: SandboxInfo): void {
    this.#update({ info });
  }

  /** Call it when a shell has shown output, or cannot: the other panels load their data then. */
  noteShell(): void {
    this.#shellShown.resolve();
  }

  /** Lets the next terminal that opens continue in the directory of a shell in another sandbox. */
  continueShell(place: ShellContext | undefined): void {
    this.#nextShell = place;
  }

  /** The directory and variables of the next shell; only the first caller gets them. */
  takeShellPlace(): ShellContext | undefined {
    const place = this.#nextShell;
    this.#nextShell = undefined;
    return place;
  }

  /** The size of the visible terminal. */
  get terminalSize(): TerminalSize | undefined {
    return this.#terminalSize;
  }

  noteTerminalSize(size: TerminalSize): void {
    this.#terminalSize = size;
  }

  /**
   * The size for which a resumed shell has written its output, for the first caller: a shell wraps its lines
   * itself, and in another width they would lose characters.
   */
  takeShownSize(): TerminalSize | undefined {
    const size = this.#shownIn;
    this.#shownIn = undefined;
    return size;
  }

  /** Sets the sentence that says why it runs where it does. */
  explain(why: string): void {
    this.#update({ why });
  }

  /** Sets the state of a move to another backend, or why it failed. */
  showMove(move: MoveState | undefined): void {
    this.#update({ move });
  }

  /** Shows the suggestion to run a command on a host, or removes it. */
  showOffer(offer: RuntimeOffer | undefined): void {
    this.#update({ offer });
  }

  /** Shows a machine that loads while this shell is used; many reports in one frame make one update. */
  showMachine(machine: LoadingMachine | undefined): void {
    if (machine?.stage === 'loading' && this.#state.machine?.stage === 'loading') this.#drawSoon({ machine });
    else this.#update({ machine });
  }

  /** Call it when the user types into the sandbox or changes anything of it. */
  noteUse(): void {
    if (!this.#state.isUsed) this.#update({ isUsed: true });
  }

  /**
   * Call it when a shell was lost with its machine. A failed machine reports that itself; a lost connection to a
   * host is noticed when it is used. If the token has expired, reconnects once, because the user may have entered
   * another token.
   */
  async noteLoss(): Promise<void> {
    const connection = this.#connection;
    try {
      await connection?.info.get();
    } catch (cause) {
      if (connection !== this.#connection || this.#state.phase === 'closed') return;
      const error = SandboxError.from(cause);
      if (error.code === 'unauthenticated' && this.host !== undefined)
        await this.start({ readOnly: this.#state.readOnly });
      else this.#update({ phase: 'failed', failure: error.toData() });
    }
  }

  select(selected: TreeRef): void {
    this.scrub({});
    if (selected !== this.#state.selected) this.#update({ selected });
  }

  /** Lists the captures that are folded under a row of the history, or folds them again. */
  toggleSteps(id: SnapshotId): void {
    const oldest = findRow(this.#state, id)?.steps[0];
    if (oldest === undefined) return;
    const opened = new Set(this.#state.opened);
    if (!opened.delete(oldest.id)) opened.add(oldest.id);
    this.#update({ opened });
  }

  searchHistory(search: string, filter: HistoryFilter): void {
    this.#update({ search, filter });
  }

  /** Selects the comparison; `beside` is the id of another pane's sandbox. */
  compare(comparing: Comparing, beside?: string): void {
    this.#update({ comparing, beside });
  }

  /** Marks a snapshot to compare others with; marking it again removes the mark. */
  mark(id: SnapshotId): void {
    const marked = this.#state.marked === id ? undefined : id;
    this.#update({ marked, comparing: marked === undefined ? 'step' : this.#state.comparing });
  }

  /** Shows or hides snapshots whose deletion can still be undone. */
  setHidden(ids: readonly SnapshotId[], isHidden: boolean): void {
    const hidden = new Set(this.#state.hidden);
    for (const id of ids) isHidden ? hidden.add(id) : hidden.delete(id);
    const { selected } = this.#state;
    this.#update({ hidden, selected: ids.some((id) => id === selected) ? 'now' : selected });
  }

  async checkout(
    id: SnapshotId,
    options?: CheckoutOptions,
  ): Promise<(WayBack & { readonly snapshot: SnapshotId }) | undefined> {
    this.#update({ phase: 'moving', scrubbing: undefined });
    const moved = await this.attempt('history', (connection) =>
      connection.history.checkout({ id, ...options }),
    );
    if (moved !== undefined) await this.#readHistory();
    if (this.#state.phase === 'moving') this.#update({ phase: 'ready', failure: undefined });
    if (moved === undefined) return undefined;
    const wayBack = { atMs: Date.now(), snapshot: moved.previousHead, checkpoint: moved.checkpoint };
    this.#update({ selected: 'now', wayBack });
    return wayBack;
  }

  /** Shows the terminals' output of a checkpoint or a snapshot, or their present output. */
  scrub({
    checkpoint,
    snapshot,
  }: {
    checkpoint?: number | undefined;
    snapshot?: SnapshotId | undefined;
  }): void {
    const { scrubbing } = this.#state;
    if (scrubbing?.isGoing) return;
    if (checkpoint === undefined && snapshot === undefined) {
      if (scrubbing !== undefined) this.#update({ scrubbing: undefined, selected: 'now' });
    } else if (scrubbing?.checkpoint !== checkpoint || scrubbing?.snapshot !== snapshot) {
      this.#update({ scrubbing: { checkpoint, snapshot, isGoing: false }, selected: snapshot ?? 'now' });
    }
  }

  chooseFilesOnly(filesOnly: boolean): void {
    this.#update({ filesOnly });
  }

  /** Restores a checkpoint, with its programs. Resolves to the way back. */
  async restoreCheckpoint(id: number): Promise<WayBack | undefined> {
    this.#update({ scrubbing: { checkpoint: id, snapshot: undefined, isGoing: true } });
    const moved = await this.attempt('terminal', (connection) => connection.checkpoints.restore({ id }));
    this.#update({ scrubbing: undefined, selected: 'now' });
    await this.#readHistory();
    if (moved === undefined) return undefined;
    const wayBack = { atMs: Date.now(), snapshot: undefined, checkpoint: moved.previous };
    this.#update({ wayBack });
    return wayBack;
  }

  dismissWayBack(): void {
    this.#update({ wayBack: undefined });
  }

  fork(id: SnapshotId): Promise<SandboxInfo | undefined> {
    return this.attempt('history', (connection) => connection.history.fork({ id, ...this.#forkName() }));
  }

  /** A fork of the running machine; `undefined` if that needs a snapshot with memory. */
  forkRunning(): Promise<SandboxInfo | undefined> {
    return this.attempt('history', async (connection) => connection.forkRunning?.(this.#forkName()));
  }

  /** Its connection may still have the old name. */
  #forkName(): { name?: string } {
    const { info } = this.#state;
    if (info === undefined) return {};
    const ending = ' fork';
    return { name: info.name.slice(0, limits.sandboxNameCharacters - ending.length) + ending };
  }

  snapshot(label: string, options: { memory?: boolean } = {}): Promise<SnapshotInfo | undefined> {
    return this.attempt('history', (connection) => connection.history.createSnapshot({ label, ...options }));
  }

  async setTag(name: string, id: SnapshotId | undefined): Promise<void> {
    await this.attempt('history', (connection) => connection.history.setTag({ name, id }));
    await this.#readHistory();
  }

  async remove(ids: readonly SnapshotId[]): Promise<void> {
    await this.attempt('history', async (connection) => {
      for (const id of ids) await connection.history.deleteSnapshot({ id });
    });
    await this.#readHistory();
    this.setHidden(ids, false);
    await this.refreshStorage();
  }

  async collectGarbage(): Promise<number | undefined> {
    const freed = await this.attempt('storage', (connection) => connection.history.collectGarbage());
    await this.refreshStorage();
    return freed;
  }

  async refreshStorage(): Promise<void> {
    const storage = await this.attempt('storage', (connection) => connection.info.storage());
    if (storage !== undefined) this.#update({ storage, captureStopped: storage.stopped });
  }

  /** Runs `call`; a failure becomes the problem of `area`, a success clears it. */
  async attempt<T>(area: Area, call: (connection: SandboxConnection) => Promise<T>): Promise<T | undefined> {
    try {
      if (this.#connection === undefined) {
        throw new SandboxError('connection-lost', 'The sandbox is not open.');
      }
      const result = await call(this.#connection);
      this.dismiss(area);
      return result;
    } catch (error) {
      const problem = SandboxError.from(error).toData();
      this.#update({ problems: { ...this.#state.problems, [area]: problem } });
      return undefined;
    }
  }

  dismiss(area: Area): void {
    if (this.#state.problems[area] === undefined) return;
    const { [area]: _gone, ...problems } = this.#state.problems;
    this.#update({ problems });
  }

  /**
   * Closes the sandbox, aborting its start if necessary; it stays stored. Idempotent.
   * @throws `unsavedChanges`, and it stays open, where its last changes would be lost that are not to be discarded
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const connection = this.#connection;
    await connection?.close(options).catch((error) => {
      // Of what else goes wrong nobody needs to know: it is closed.
      if (isUnsaved(error)) throw error;
    });
    if (this.#connection === connection) this.#connection = undefined;
    this.#update({ phase: 'closed' });
    await this.#release();
  }

  #receive(event: SandboxEvent): void {
    this.#set(reduceEvent(this.#state, event));
    if (event.type === 'history') void this.#readHistory();
    // Some may have been stored by an earlier machine.
    if (event.type === 'checkpoints' || event.type === 'ready') void this.#readCheckpoints();
    // An imported snapshot is announced by a `history` event.
    if (event.type === 'snapshot' || event.type === 'history') void this.refreshStorage();
  }

  async #readHistory(): Promise<void> {
    const history = await this.attempt('history', (connection) => connection.history.get());
    if (history !== undefined) this.#update({ history });
  }

  async #readCheckpoints(): Promise<void> {
    // No checkpoints if the machine is gone, which it reports itself.
    const view = await this.#connection?.checkpoints.list().catch(() => undefined);
    this.#update({ checkpoints: view?.checkpoints ?? [] });
  }

  async #release(): Promise<void> {
    this.#steps[Symbol.dispose]();
    this.#starting.abort();
    this.#starting = new AbortController();
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close().catch(() => {});
  }

  /** A download reports every few kilobytes; one update per frame is enough. */
  #showProgress(progress: Progress): void {
    this.#drawSoon({ progress });
  }

  #drawSoon(change: Partial<SandboxState>): void {
    this.#state = { ...this.#state, ...change };
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.#announce();
    });
  }

  #update(change: Partial<SandboxState>): void {
    this.#set({ ...this.#state, ...change });
  }

  #set(state: SandboxState): void {
    if (state === this.#state) return;
    if (state.history !== this.#state.history) this.#steps.noteHistory();
    this.#state = state;
    this.#announce();
  }

  /** Many events in one turn make one `change`. */
  #announce(): void {
    if (this.#announced) return;
    this.#announced = true;
    queueMicrotask(() => {
      this.#announced = false;
      this.dispatchEvent(new Event('change'));
    });
  }
}
