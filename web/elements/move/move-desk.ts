import { orAborted, throwIfAborted } from '../../../protocol/abort.ts';
import { snapshotNow } from '../../../protocol/copy/copy-snapshot.ts';
import { expectBytes } from '../../../protocol/copy/expect-bytes.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { hasImage } from '../../../protocol/sandbox/sandbox-info.ts';
import { readShellContext, type ShellContext } from '../../../sdk/shell-context.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import type { HostPlace } from '../model/host-place.ts';
import type { MoveState } from '../model/move-state.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { Workspace } from '../model/workspace.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { carryHome, placeAtHome } from './carry-home.ts';
import { carrySnapshot, type Destination } from './carry-snapshot.ts';
import { type CarriedSandbox, carryUp } from './carry-up.ts';

/** The destination of a pane's work. */
interface Route {
  readonly direction: MoveState['direction'];
  /** The host at the other end, whichever end it is. */
  readonly hostName: string;
  /** The pane that continues it, if one is open; else a new one on `host`, or of this tab. */
  readonly pane: SandboxModel | undefined;
  readonly host: HostPlace | undefined;
  /**
   * The image of a new sandbox there, which gets only the files of the home; without it, everything moves, to the
   * same image.
   */
  readonly image?: string | undefined;
}

const what = 'Cannot move the work';
const machineName = 'a machine in this tab';
const idle = { movedBytes: 0, expectedBytes: 0, error: undefined };

/**
 * Moves work between panes of this tab and panes on hosts: the files as a snapshot, and the shell's directory and
 * variables. Each pane shows its own move, and why it failed, in which case neither side has changed. Both
 * directions resolve to whether the work has arrived.
 */
export class MoveDesk {
  readonly #workspace: Workspace;
  /** The moves under way, by source pane. */
  readonly #moves = new Map<SandboxModel, AbortController>();
  /** The pane at the other end, once something was moved. */
  readonly #partners = new WeakMap<SandboxModel, SandboxModel>();
  /** What a pane's command lacked, until the pane's work has arrived elsewhere. */
  readonly #reasons = new WeakMap<SandboxModel, string>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /**
   * Continues what `pane` shows on `host`: in the pane beside that has come from it, or in a new one. With `image`, in
   * a new sandbox of that, which has the files of the home only.
   */
  async runOnHost(
    pane: SandboxModel,
    options: { host: HostPlace; shellPid: number | undefined; image?: string | undefined },
  ): Promise<boolean> {
    const { host, shellPid, image } = options;
    const partner = image === undefined ? this.#partner(pane, (other) => other.host === host) : undefined;
    if (partner === undefined && !this.#workspace.hasRoom()) return false;
    const route = { direction: 'to-host', hostName: host.name, pane: partner, host, image } as const;
    return this.#move(pane, route, shellPid);
  }

  /** Continues what `pane`, a shell, shows in a machine in this tab. */
  async runInMachine(pane: SandboxModel, { shellPid }: { shellPid: number | undefined }): Promise<boolean> {
    if (!this.#workspace.hasRoom()) return false;
    pane.noteUse();
    const route = {
      direction: 'to-machine',
      hostName: machineName,
      pane: undefined,
      host: undefined,
    } as const;
    return this.#move(pane, route, shellPid);
  }

  /** Brings what `pane`, on a host, shows back into the sandbox of this tab that it came from, else into a new one. */
  async bringBack(pane: SandboxModel, { shellPid }: { shellPid: number | undefined }): Promise<boolean> {
    const hostName = pane.host?.name ?? '';
    const partner = this.#partner(pane, (other) => other.host === undefined);
    if (partner === undefined && !this.#workspace.hasRoom()) return false;
    return this.#move(pane, { direction: 'back', hostName, pane: partner, host: undefined }, shellPid);
  }

  /** Cancels the move of `pane`, or removes its error. */
  cancel(pane: SandboxModel): void {
    this.#moves.get(pane)?.abort();
    if (pane.state.move?.stage === 'failed') pane.showMove(undefined);
  }

  /** The open pane that was the other end before, else any with the same image. */
  #partner(pane: SandboxModel, willDo: (other: SandboxModel) => boolean): SandboxModel | undefined {
    const open = this.#workspace.panes.filter(
      (other) =>
        other !== pane &&
        willDo(other) &&
        other.state.phase === 'ready' &&
        !other.state.readOnly &&
        other.state.info?.imageDigest === pane.state.info?.imageDigest,
    );
    const known = this.#partners.get(pane);
    return open.find((other) => other === known) ?? (pane.host === undefined ? undefined : open[0]);
  }

  /** Resolves to whether it has arrived. */
  async #move(pane: SandboxModel, route: Route, shellPid: number | undefined): Promise<boolean> {
    if (this.#moves.has(pane)) return false;
    const abort = new AbortController();
    this.#moves.set(pane, abort);
    const { direction, hostName, image } = route;
    let move: MoveState = { direction, host: hostName, image, stage: 'connecting', ...idle };
    const show = (change: Partial<MoveState>): void => {
      move = { ...move, ...change };
      pane.showMove(move);
    };
    try {
      await this.#carry(pane, { route, shellPid, show, signal: abort.signal });
      pane.showMove(undefined);
      return true;
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (abort.signal.aborted) pane.showMove(undefined);
      else show({ stage: 'failed', error: error.toData() });
      return false;
    } finally {
      this.#moves.delete(pane);
    }
  }

  async #carry(
    pane: SandboxModel,
    options: {
      route: Route;
      shellPid: number | undefined;
      show: (change: Partial<MoveState>) => void;
      signal: AbortSignal;
    },
  ): Promise<void> {
    const { route, shellPid, show, signal } = options;
    const { connection } = pane;
    const [reason] = pane.state.offer?.reasons ?? [];
    if (reason !== undefined) this.#reasons.set(pane, reason);
    pane.showOffer(undefined);
    if (connection === undefined) throw new SandboxError('connection-lost', 'The sandbox is not open.');
    show({ stage: 'connecting' });
    const to = await orAborted(destination(route, this.#workspace), { signal, what });
    show({ stage: 'saving' });
    const shell = await this.#shellOf(pane, shellPid);
    const { selected } = pane.state;
    const label = route.direction === 'back' ? `from ${route.hostName}` : `to ${route.hostName}`;
    const snapshot = selected === 'now' ? await snapshotNow(connection, label) : selected;
    throwIfAborted(signal, what);
    const onProgress = (movedBytes: number): void => show({ movedBytes });
    const { image, host } = route;
    if (pane.state.info !== undefined && !hasImage(pane.state.info) && to.type === 'backend') {
      show({ stage: 'moving' });
      const isToMachine = route.direction === 'to-machine';
      // The image of a machine that loads already is not fetched twice.
      if (isToMachine) await orAborted(this.#workspace.shellFirst.settled(), { signal, what });
      const runtime = isToMachine ? 'v86' : 'jail';
      const carried = await carryUp(connection, {
        snapshot,
        to: { name: route.hostName, backend: to.backend, runtime, ...(image === undefined ? {} : { image }) },
        onProgress: ({ doneBytes, totalBytes }) => show({ movedBytes: doneBytes, expectedBytes: totalBytes }),
        signal,
      });
      await this.#showCarried(pane, { carried, backend: to.backend, host, shell });
      if (isToMachine) await this.#workspace.shellFirst.dismissMachine(pane);
      return;
    }
    if (image !== undefined && to.type === 'backend') {
      show({ stage: 'moving' });
      const made = await carryHome(connection, { snapshot, backend: to.backend, image, onProgress, signal });
      show({ stage: 'opening' });
      this.#explain(pane, await this.#workspace.openBeside(made.id, { host, shell: placeAtHome(shell) }));
      return;
    }
    const into = to.type === 'sandbox' ? to.connection : undefined;
    show({ stage: 'moving', expectedBytes: await expectBytes(connection, { snapshot, into }) });
    const made = await carrySnapshot(connection, { snapshot, to, onProgress, signal });
    show({ stage: 'opening' });
    if (made === undefined && route.pane !== undefined) {
      await this.#goTo(route.pane, { snapshot, shell, hostName: route.hostName });
      this.#pair(pane, route.pane);
      this.#explain(pane, route.pane);
    } else if (made !== undefined) {
      const opened = await this.#workspace.openBeside(made.id, { host: route.host, shell });
      if (opened !== undefined) this.#pair(pane, opened);
      this.#explain(pane, opened);
    }
  }

  /** Opens a pane beside with what has come from the shell of `pane`, and offers to go back to that. */
  async #showCarried(
    pane: SandboxModel,
    options: {
      carried: CarriedSandbox;
      backend: SandboxBackend;
      host: HostPlace | undefined;
      shell: ShellContext | undefined;
    },
  ): Promise<void> {
    const { carried, backend, host, shell } = options;
    const { info, connection } = carried;
    const opened = await this.#workspace.openBeside(info.id, { host, shell, connection });
    if (opened === undefined) {
      await connection.close().catch(() => undefined);
      await backend.delete({ id: info.id }).catch(() => undefined);
      throw new SandboxError('conflict', `${what}: another pane has opened meanwhile`);
    }
    this.#explain(pane, opened);
    const undo = async (): Promise<void> => {
      const isOpen = this.#workspace.panes.includes(pane);
      const shellPane = isOpen ? pane : await this.#workspace.openBeside(pane.state.info?.id ?? '', {});
      if (shellPane === undefined) return;
      // What was done there since stays, in a sandbox of its own.
      const isUntouched = (await headNow(opened)) === carried.snapshot;
      await this.#workspace.close(opened);
      if (isUntouched) await backend.delete({ id: info.id });
      await this.#workspace.refresh();
      this.#workspace.activate(shellPane);
    };
    this.#workspace.notices.add({
      text: `It runs ${host === undefined ? 'in a machine' : `on ${host.name}`} now. The shell is as it was, beside it.`,
      tone: 'info',
      action: {
        label: 'Undo',
        run: () =>
          void undo().catch((error) =>
            this.#workspace.notices.add({ text: SandboxError.from(error).message, tone: 'error' }),
          ),
      },
    });
  }

  /** Has the pane `to` say why it runs where it does, once the work of `from` has arrived there. */
  #explain(from: SandboxModel, to: SandboxModel | undefined): void {
    const reason = this.#reasons.get(from);
    this.#reasons.delete(from);
    const { info } = from.state;
    const kind = info !== undefined && !hasImage(info) ? 'the shell' : 'the sandbox';
    const on = from.host === undefined ? '' : ` on ${plainLine(from.host.name, 80)}`;
    const name = `${kind} “${plainLine(info?.name ?? '', 40)}”${on}`;
    to?.explain(reason === undefined ? `It came from ${name}.` : `It came from ${name}: ${reason}.`);
  }

  /** Checks out, in an open pane, the snapshot that has arrived in its history, and offers to undo that. */
  async #goTo(
    pane: SandboxModel,
    {
      snapshot,
      shell,
      hostName,
    }: { snapshot: SnapshotId; shell: ShellContext | undefined; hostName: string },
  ): Promise<void> {
    pane.continueShell(shell);
    const moved = await pane.checkout(snapshot);
    if (moved === undefined) {
      pane.continueShell(undefined);
      throw SandboxError.from(pane.state.problems.history ?? `${what}: it was not opened`);
    }
    this.#workspace.activate(pane);
    this.#workspace.notices.add({
      text:
        pane.host === undefined
          ? `Brought back from ${hostName}. What was here is kept as a snapshot.`
          : `Moved to ${hostName}. What was there is kept as a snapshot.`,
      tone: 'info',
      action: { label: 'Undo', run: () => void pane.checkout(moved.snapshot) },
    });
  }

  /** The directory and variables of the pane's shell. Without an answer, the next one starts at home; where it only took too long, that is said. */
  async #shellOf(pane: SandboxModel, pid: number | undefined): Promise<ShellContext | undefined> {
    if (pid === undefined || pane.connection === undefined || pane.state.readOnly) return undefined;
    return readShellContext(pane.connection, pid).catch((cause: unknown) => {
      if (SandboxError.from(cause).code !== 'timeout') return undefined;
      this.#workspace.notices.add({
        text: 'The shell did not say which directory it is in: the next one starts at home.',
        tone: 'info',
      });
      return undefined;
    });
  }

  #pair(one: SandboxModel, other: SandboxModel): void {
    this.#partners.set(one, other);
    this.#partners.set(other, one);
  }
}

/** The snapshot of a pane's files as they are now; `undefined` where that cannot be told. */
async function headNow({ connection }: SandboxModel): Promise<SnapshotId | undefined> {
  if (connection === undefined) return undefined;
  return snapshotNow(connection, 'before going back to the shell', { ifChanged: true }).catch(
    () => undefined,
  );
}

async function destination({ pane, host }: Route, workspace: Workspace): Promise<Destination> {
  const connection = pane?.connection;
  // A lost connection is noticed, and replaced, before anything is saved.
  const backend = await (host?.connect() ?? workspace.backend);
  if (connection !== undefined) return { type: 'sandbox', connection };
  // On a host, memory is only a limit; in a tab, a machine of another size than the default starts slowly.
  return { type: 'backend', backend, memoryMiB: host && limits.memoryMiB.max };
}
