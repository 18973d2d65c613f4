import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { CloseOptions, SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { Progress } from '../../../protocol/sandbox/progress.ts';
import type { RuntimeName, SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import type { ArchiveReader } from '../../../protocol/sandbox/transfer.ts';
import type { ShellContext } from '../../../sdk/shell-context.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import type { HostPlace } from './host-place.ts';
import { Notices } from './notices.ts';
import { SandboxModel, type TerminalSize } from './sandbox-model.ts';
import { ShellFirst, type UnclaimedSandboxes, type WhenShellFirst } from './shell-first.ts';

/** Each pane holds a machine with its own memory, so their number is bounded. */
const mostPanes = 3;
const closedByHost: ReadonlySet<string | undefined> = new Set(['unauthenticated', 'connection-lost']);

interface ClosePaneOptions extends CloseOptions {
  /** Opens what takes its place. */
  readonly onClosed?: () => Promise<void>;
}

/** A sandbox that is open in a pane, and is again after a reload: of this tab, or on the host of a bridge with that address. */
export interface OpenSandbox {
  readonly id: string;
  readonly host?: string | undefined;
}

/**
 * The open panes, the active one, and the list of sandboxes. Fires `change`. Calls `remember` with the open sandboxes
 * whenever they change.
 */
export class Workspace extends EventTarget {
  readonly notices: Notices = new Notices();
  readonly shellFirst: ShellFirst;
  readonly #backend: Promise<SandboxBackend>;
  readonly #remember: (open: readonly OpenSandbox[]) => void;
  #panes: readonly SandboxModel[] = [];
  #active = 0;
  #sandboxes: readonly SandboxInfo[] = [];
  readonly #leaving = new Set<string>();
  /** The sandboxes that panes were opened for, which those that cannot be opened do not tell. */
  readonly #ids = new WeakMap<SandboxModel, string>();
  /** Panes of hosts that are opened as soon as their code is loaded. */
  #expected: readonly OpenSandbox[] = [];

  constructor(
    backend: Promise<SandboxBackend>,
    remember: (open: readonly OpenSandbox[]) => void,
    unclaimed: UnclaimedSandboxes = { read: () => [], write: () => undefined },
  ) {
    super();
    this.#backend = backend;
    this.#remember = remember;
    this.shellFirst = new ShellFirst({
      backend,
      unclaimed,
      panes: () => this.#panes,
      replace: (shell, connection) => this.#putInPlace(shell, connection),
      onUsed: () => this.#announce(),
    });
  }

  get panes(): readonly SandboxModel[] {
    return this.#panes;
  }

  get active(): SandboxModel | undefined {
    return this.#panes[this.#active];
  }

  /** The sandboxes of this tab. */
  get backend(): Promise<SandboxBackend> {
    return this.#backend;
  }

  /** The stored sandboxes, without those whose deletion can still be undone. */
  get sandboxes(): readonly SandboxInfo[] {
    return this.#sandboxes.filter((sandbox) => !this.#leaving.has(sandbox.id));
  }

  /** Hides a sandbox whose deletion can still be undone, or shows it again. */
  setLeaving(id: string, leaving: boolean): void {
    if (leaving) this.#leaving.add(id);
    else this.#leaving.delete(id);
    this.dispatchEvent(new Event('change'));
  }

  /**
   * Opens the sandboxes that were open last, else the newest one, else a new one: with `shellFirst`, a shell to use while
   * a machine loads, which takes the shell's place if that is still unused. `reachHost` finds the host with the bridge of an
   * address. Shows the panes at once; resolves when the machine runs too.
   */
  async restore(
    open: readonly OpenSandbox[],
    {
      shellFirst,
      reachHost = async () => undefined,
    }: {
      readonly shellFirst?: Promise<WhenShellFirst> | undefined;
      readonly reachHost?: (url: string) => Promise<HostPlace | undefined>;
    } = {},
  ): Promise<void> {
    const wanted = open.slice(0, mostPanes);
    this.#expected = wanted.filter(({ host }) => host !== undefined);
    const onHosts = this.#expected.map((one) => this.#restoreOnHost(one, reachHost));
    // A sandbox that was open last is opened without reading the list first, since it nearly always exists.
    const ids = wanted.flatMap(({ id, host }) => (host === undefined ? [id] : []));
    const panes = await Promise.all(ids.map((id) => this.#addPane(id)));
    const lost = panes.filter((pane) => pane.state.failure?.code === 'not-found');
    if (lost.length > 0) {
      const names = ids.filter((_id, index) => lost.some((pane) => pane === panes[index]));
      this.#say(`Sandbox ${names.join(', ')} is not stored in this browser.`);
      this.#setPanes(this.#panes.filter((pane) => !lost.includes(pane)));
    }
    await Promise.all(onHosts);
    if (this.#panes.length === 0) await this.#addPane(this.#newest(), { shellFirst });
    await this.shellFirst.settled();
  }

  /** A host that does not answer, or whose token is gone, is told in the pane. */
  async #restoreOnHost(
    one: OpenSandbox,
    reachHost: (url: string) => Promise<HostPlace | undefined>,
  ): Promise<void> {
    const host = await reachHost(one.host ?? '');
    this.#expected = this.#expected.filter((other) => other !== one);
    if (host !== undefined) await this.#addPane(one.id, { host });
    else this.#say(`Sandbox ${one.id} on ${one.host} cannot be opened: that is no bridge.`);
  }

  /** Opens a sandbox of this tab, or a new one of that runtime, here or on `host`, in place of the active pane. */
  async replace(
    id: string | undefined,
    place: {
      readonly runtime?: RuntimeName | undefined;
      readonly host?: HostPlace | undefined;
      readonly image?: string | undefined;
    } = {},
    options: CloseOptions = {},
  ): Promise<void> {
    const open = this.#panes.findIndex((pane) => id !== undefined && pane.state.info?.id === id);
    if (open >= 0) return this.#activateAt(open);
    const replaced = this.active;
    const addPane = async (): Promise<void> => void (await this.#addPane(id, place));
    if (replaced === undefined) await addPane();
    else await this.#closePane(replaced, { ...options, onClosed: addPane });
  }

  /** Forks a snapshot into another pane. */
  async fork(pane: SandboxModel, id: SnapshotId): Promise<void> {
    if (!this.hasRoom()) return;
    const forked = await pane.fork(id);
    if (forked !== undefined) await this.#addPane(forked.id, { host: pane.host });
  }

  /** Forks the running machine into another pane. */
  async forkRunning(pane: SandboxModel): Promise<void> {
    if (!this.hasRoom()) return;
    // The new pane halves the width, and the output was written for the old width.
    const place = { host: pane.host, shownIn: pane.terminalSize };
    const running = await pane.forkRunning();
    if (running !== undefined) return void (await this.#addPane(running.id, place));
    const snapshot = await pane.snapshot('before a fork with running programs', { memory: true });
    const forked = snapshot && (await pane.fork(snapshot.id));
    if (forked !== undefined) await this.#addPane(forked.id, place);
  }

  /** Opens a sandbox, of this tab or of `host`, in another pane, with a shell that starts at `shell`. */
  async openBeside(
    id: string,
    options: {
      host?: HostPlace | undefined;
      shell?: ShellContext | undefined;
      /** It is open already; the pane owns that. */
      connection?: SandboxConnection | undefined;
    },
  ): Promise<SandboxModel | undefined> {
    return this.hasRoom() ? this.#addPane(id, options) : undefined;
  }

  /** Whether the number of panes is at its maximum. */
  get isFull(): boolean {
    return this.#panes.length >= mostPanes;
  }

  /** Whether another pane may open; if not, says so. */
  hasRoom(): boolean {
    if (!this.isFull) return true;
    this.#say(`${mostPanes} machines are open, which is the most a tab holds. Close a pane first.`);
    return false;
  }

  /** Forks HEAD of a sandbox that another tab has open, and opens the fork instead. */
  async forkBusy(pane: SandboxModel): Promise<void> {
    await pane.start({ readOnly: true });
    const head = pane.state.history?.head;
    if (head === undefined) return;
    const forked = await pane.fork(head);
    if (forked !== undefined) await this.replace(forked.id);
  }

  /** Reopens the panes of `host` that were closed or refused, since it may accept the new token. */
  reopenLost(host: HostPlace): void {
    const lost = this.#panes.filter(
      (pane) => pane.host === host && closedByHost.has(pane.state.failure?.code),
    );
    for (const pane of lost) void pane.start({ readOnly: pane.state.readOnly });
  }

  activate(pane: SandboxModel): void {
    this.#activateAt(this.#panes.indexOf(pane));
  }

  /** Closes a pane; its sandbox stays. The last pane stays open. */
  async close(pane: SandboxModel): Promise<void> {
    if (this.#panes.length < 2) return;
    await this.#closePane(pane);
  }

  /** One whose last changes would be lost is shown again, and the user may give them up. `onClosed` is called once it is closed. */
  async #closePane(pane: SandboxModel, options: ClosePaneOptions = {}): Promise<void> {
    const { onClosed, ...how } = options;
    const before = this.#panes;
    this.#setPanes(before.filter((other) => other !== pane));
    try {
      await pane.close(how);
    } catch (error) {
      const { message, details } = SandboxError.from(error);
      this.#setPanes(before.filter((other) => other === pane || this.#panes.includes(other)));
      this.notices.add({
        text: `The last changes are not saved, so it stays open: ${details.why ?? message}`,
        tone: 'error',
        action: { label: 'Discard them', run: () => void this.#discard(pane, options) },
      });
      return;
    }
    await onClosed?.();
  }

  async #discard(pane: SandboxModel, options: ClosePaneOptions): Promise<void> {
    // It may have been closed meanwhile, or be the last one.
    if (!this.#panes.includes(pane) || (this.#panes.length < 2 && options.onClosed === undefined)) return;
    await this.#closePane(pane, { ...options, discard: true });
  }

  /** Deletes a stored sandbox with all its snapshots; one that is open is closed first. */
  async delete(id: string): Promise<void> {
    const pane = this.#panes.find((open) => open.state.info?.id === id);
    try {
      if (pane !== undefined && this.#panes.length > 1) await this.#closePane(pane, { discard: true });
      else if (pane !== undefined) await this.replace(undefined, {}, { discard: true });
      await (await this.#backend).delete({ id });
    } catch (error) {
      this.#say(SandboxError.from(error).message);
    }
    this.#leaving.delete(id);
    await this.refresh();
  }

  /** Gives a sandbox of this tab another name. */
  async rename(id: string, name: string): Promise<void> {
    try {
      const info = await (await this.#backend).rename?.({ id, name });
      if (info === undefined) return;
      for (const pane of this.#panes)
        if (pane.host === undefined && pane.state.info?.id === id)
          pane.describe({ ...pane.state.info, name: info.name });
    } catch (error) {
      this.#say(SandboxError.from(error).message);
    }
    await this.refresh();
  }

  /** An archive of the readable files of a stored sandbox, open or not. */
  async exportStored(id: string): Promise<ArchiveReader> {
    return (await this.#backend).exportTar({ id });
  }

  /** Reloads the list of stored sandboxes. */
  async refresh(): Promise<void> {
    try {
      const stored = await (await this.#backend).list();
      this.#sandboxes = stored.filter(({ id }) => !this.shellFirst.isUnclaimed(id));
    } catch (error) {
      this.#say(SandboxError.from(error).message);
    }
    this.dispatchEvent(new Event('change'));
  }

  async #newest(): Promise<string | undefined> {
    await this.refresh();
    return this.#sandboxes.toSorted((a, b) => b.createdAtMs - a.createdAtMs)[0]?.id;
  }

  async #addPane(
    id: string | undefined | Promise<string | undefined>,
    place: {
      host?: HostPlace | undefined;
      shell?: ShellContext | undefined;
      shownIn?: TerminalSize | undefined;
      runtime?: RuntimeName | undefined;
      image?: string | undefined;
      connection?: SandboxConnection | undefined;
      /** Whether a new one is a shell, to use while a machine loads. */
      shellFirst?: Promise<WhenShellFirst> | undefined;
      inPlaceOf?: SandboxModel | undefined;
    } = {},
  ): Promise<SandboxModel> {
    const { host, runtime, image, shellFirst, inPlaceOf } = place;
    let { connection } = place;
    const takeOpen = (): SandboxConnection | undefined => {
      const open = connection;
      connection = undefined;
      return open;
    };
    const pane: SandboxModel = new SandboxModel(async (options, onProgress) => {
      const open = takeOpen();
      if (open !== undefined) return open;
      const known = pane.state.info?.id ?? (await id);
      const when = known === undefined ? await shellFirst : undefined;
      if (when !== undefined && when !== 'never') {
        return this.shellFirst.open(pane, { when, signal: options.signal, onProgress });
      }
      return this.#open(known, { ...options, host, runtime, image, onProgress });
    }, place);
    if (typeof id === 'string') this.#ids.set(pane, id);
    // Remembered at once: a new sandbox's history is loaded later.
    const remember = () => {
      if (pane.state.info === undefined) return;
      pane.removeEventListener('change', remember);
      this.#announce();
    };
    pane.addEventListener('change', remember);
    const others = this.#panes.map((open) => (open === inPlaceOf ? pane : open));
    this.#setPanes(others.includes(pane) ? others : [...others, pane]);
    this.#activateAt(this.#panes.indexOf(pane));
    await pane.start();
    if (host === undefined && pane.state.failure?.code === 'busy') await this.#describeBusy(pane, await id);
    const { info } = pane.state;
    // Added without reloading the list, which would start a worker while the guest needs the processor.
    if (info !== undefined && host === undefined)
      this.#sandboxes = [...this.#sandboxes.filter(({ id }) => id !== info.id), info];
    this.#announce();
    return pane;
  }

  /** Sets the name of a sandbox that another tab has open, which its own connection could not read. */
  async #describeBusy(pane: SandboxModel, id: string | undefined): Promise<void> {
    await this.refresh();
    const info = this.#sandboxes.find((sandbox) => sandbox.id === id);
    if (info !== undefined) pane.describe(info);
  }

  async #open(
    id: string | undefined,
    options: {
      host: HostPlace | undefined;
      /** Of a new one. */
      runtime: RuntimeName | undefined;
      image: string | undefined;
      readOnly: boolean;
      signal: AbortSignal;
      onProgress: (progress: Progress) => void;
    },
  ): Promise<SandboxConnection> {
    const { host, runtime, image, readOnly, signal, onProgress } = options;
    const backend = await (host?.connect() ?? this.#backend);
    const made = { ...(runtime ? { runtime } : {}), ...(image ? { image } : {}) };
    if (id === undefined) return backend.create({ signal, ...made }, onProgress);
    return backend.open({ id, readOnly, signal }, onProgress);
  }

  /** Shows a sandbox that is open in place of a pane, which is closed. */
  async #putInPlace(closed: SandboxModel, connection: SandboxConnection): Promise<void> {
    const opening = this.#addPane(undefined, { connection, inPlaceOf: closed });
    await closed.close({ discard: true });
    this.#sandboxes = this.#sandboxes.filter(({ id }) => id !== closed.state.info?.id);
    await opening;
  }

  #setPanes(panes: readonly SandboxModel[]): void {
    const active = this.active;
    this.#panes = panes;
    this.shellFirst.notePanes(panes);
    this.#active = Math.max(0, active === undefined ? 0 : panes.indexOf(active));
    this.#announce();
  }

  #activateAt(index: number): void {
    if (index < 0) return;
    this.#active = index;
    this.dispatchEvent(new Event('change'));
  }

  #announce(): void {
    // A shell that a machine may still replace is not remembered.
    const kept = this.#panes.filter((pane) => !this.shellFirst.isProvisional(pane));
    const shown = kept.flatMap((pane): OpenSandbox[] => {
      const id = pane.state.info?.id ?? this.#ids.get(pane);
      return id === undefined ? [] : [{ id, ...(pane.host ? { host: pane.host.url } : {}) }];
    });
    const open = [...shown, ...this.#expected];
    if (open.length > 0) {
      this.#remember(open);
      this.shellFirst.claim(open.flatMap(({ id, host }) => (host === undefined ? [id] : [])));
    }
    this.dispatchEvent(new Event('change'));
  }

  #say(text: string): void {
    this.notices.add({ text, tone: 'error' });
  }
}
