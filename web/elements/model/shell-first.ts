import { throwIfAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { ProgressListener } from '../../../protocol/sandbox/progress.ts';
import { MachineAhead } from './machine-ahead.ts';
import type { SandboxModel } from './sandbox-model.ts';

/** The ids of sandboxes that were made before anybody asked and that nobody has used; a later visit deletes them. */
export interface UnclaimedSandboxes {
  read(): readonly string[];
  write(ids: readonly string[]): void;
}

/** Whether a shell is opened before the machine of a first visit: `if-slow` asks how long the machine takes. */
export type WhenShellFirst = 'never' | 'if-slow' | 'always';

/** What the shell and the machine of a first visit need of the page's panes. */
export interface ShellFirstParts {
  readonly backend: Promise<SandboxBackend>;
  readonly unclaimed: UnclaimedSandboxes;
  panes(): readonly SandboxModel[];
  /** Shows the machine in place of the shell, which is closed. */
  replace(shell: SandboxModel, machine: SandboxConnection): Promise<unknown>;
  /** Called once the shell was used. */
  onUsed(): void;
}

/**
 * The first visit: a machine, and a shell that is there while the machine is downloaded. A machine takes the place of a shell
 * that nobody has used; otherwise the shell's pane offers to go on in it. Which sandboxes of the two nobody has used is
 * remembered, for a later visit to delete them.
 */
export class ShellFirst {
  readonly #parts: ShellFirstParts;
  #ahead: { readonly shell: SandboxModel; readonly machine: MachineAhead; isShown: boolean } | undefined;
  #machineId: string | undefined;
  #replacing: Promise<unknown> | undefined;

  constructor(parts: ShellFirstParts) {
    this.#parts = parts;
  }

  /** Begins to make a machine, and opens a new shell in `pane`, unless the machine is there soon: then that. */
  async open(
    pane: SandboxModel,
    {
      when,
      signal,
      onProgress,
    }: {
      readonly when: WhenShellFirst;
      readonly signal: AbortSignal;
      readonly onProgress: ProgressListener;
    },
  ): Promise<SandboxConnection> {
    const backend = await this.#parts.backend;
    await this.#ahead?.machine.giveUp();
    const machine: MachineAhead = new MachineAhead(backend, {
      onChange: () => {
        if (ahead.isShown) pane.showMachine(machine.shown);
      },
      onProgress: (progress) => {
        if (!ahead.isShown) onProgress(progress);
      },
      onReady: () => this.#offer(ahead),
    });
    const ahead = { shell: pane, machine, isShown: false };
    this.#ahead = ahead;
    machine.begin();
    try {
      if (when === 'if-slow' && !(await machine.isSlow()))
        return await this.#takeAtOnce(pane, { signal, onProgress });
      throwIfAborted(signal, 'Cannot start the sandbox');
      const shell = await backend.create({ runtime: 'shell', signal }, () => undefined);
      this.#unclaim(await idOf(shell));
      this.#followUse(pane);
      ahead.isShown = true;
      pane.showMachine(machine.shown);
      this.#offer(ahead);
      return shell;
    } catch (error) {
      if (signal.aborted || this.#ahead !== ahead) throw error;
      return this.#takeAtOnce(pane, { signal, onProgress });
    }
  }

  /** Resolves when the machine runs, in the place of the shell if it takes that, was given up or has failed. */
  async settled(): Promise<void> {
    await this.#ahead?.machine.settled;
    await this.#replacing;
  }

  /** Hands over the machine that loads while `pane` is used, to go on in; its caller owns it. */
  takeMachine(pane: SandboxModel): MachineAhead | undefined {
    if (this.#ahead?.shell !== pane) return undefined;
    const { machine } = this.#ahead;
    this.#ahead = undefined;
    return machine;
  }

  /** Stays in the shell `pane`: the machine is not wanted. */
  async dismissMachine(pane: SandboxModel): Promise<void> {
    // If it cannot be deleted now, a later visit does it.
    await this.takeMachine(pane)
      ?.giveUp()
      .catch(() => undefined);
  }

  /** Loads the machine again that could not be loaded while `pane` is used. */
  loadMachine(pane: SandboxModel): void {
    if (this.#ahead?.shell === pane) this.#ahead.machine.begin();
  }

  /** Call it when the panes have changed: the machine of a shell that was closed is not wanted. */
  notePanes(panes: readonly SandboxModel[]): void {
    const shell = this.#ahead?.shell;
    if (shell !== undefined && !panes.includes(shell)) void this.dismissMachine(shell);
  }

  /** Whether a machine may still take the place of this pane, which is not remembered until then. */
  isProvisional(pane: SandboxModel): boolean {
    return this.#ahead?.shell === pane && !isUsed(pane);
  }

  /** Whether a stored sandbox was made before anybody asked, and is not open here. */
  isUnclaimed(id: string): boolean {
    return this.#parts.unclaimed.read().includes(id) && !this.#isOpen(id);
  }

  /** Call it for sandboxes that are used: they stay. */
  claim(ids: readonly string[]): void {
    const { unclaimed } = this.#parts;
    const before = unclaimed.read();
    const left = before.filter((id) => !ids.includes(id));
    if (left.length < before.length) unclaimed.write(left);
  }

  /** Deletes the sandboxes that nobody has used, but for those that are open, in another tab too. */
  async deleteUnclaimed(): Promise<void> {
    for (const id of this.#parts.unclaimed.read()) {
      if (this.#isOpen(id) || (this.#ahead !== undefined && id === this.#machineId)) continue;
      const backend = await this.#parts.backend;
      const failure = await backend.delete({ id }).then(() => undefined, SandboxError.from);
      if (failure?.code !== 'busy') this.claim([id]);
    }
  }

  #takeAtOnce(
    pane: SandboxModel,
    options: { readonly signal: AbortSignal; readonly onProgress: ProgressListener },
  ): Promise<SandboxConnection> {
    const { signal } = options;
    throwIfAborted(signal, 'Cannot start the sandbox');
    const machine = this.takeMachine(pane);
    if (machine === undefined) throw new SandboxError('aborted', 'The machine is not wanted any more');
    return machine.take(options);
  }

  /** Puts a machine that runs in place of its unused shell, in one turn: no key that is typed meanwhile is lost. */
  #offer({
    shell,
    machine,
    isShown,
  }: {
    shell: SandboxModel;
    machine: MachineAhead;
    isShown: boolean;
  }): void {
    const { ready } = machine;
    if (ready === undefined || !isShown) return;
    this.#machineId = ready.id;
    this.#unclaim(ready.id);
    if (isUsed(shell) || this.#parts.panes().length > 1) return;
    this.takeMachine(shell)?.disown();
    this.#replacing = this.#parts.replace(shell, ready.connection);
  }

  #followUse(shell: SandboxModel): void {
    const look = (): void => {
      if (!isUsed(shell)) return;
      shell.removeEventListener('change', look);
      this.#parts.onUsed();
    };
    shell.addEventListener('change', look);
  }

  #unclaim(id: string): void {
    const { unclaimed } = this.#parts;
    unclaimed.write([...unclaimed.read(), id]);
  }

  #isOpen(id: string): boolean {
    return this.#parts.panes().some(({ state }) => state.info?.id === id);
  }
}

/** Whether its user has typed anything, or anything has changed. */
function isUsed({ state: { isUsed, history } }: SandboxModel): boolean {
  if (isUsed || history === undefined) return isUsed;
  return history.snapshots.length > 1 || history.pending.paths.length > 0;
}

/** Nobody would know of a sandbox that does not say which it is: it is closed. */
async function idOf(connection: SandboxConnection): Promise<string> {
  try {
    return (await connection.info.get()).id;
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }
}
