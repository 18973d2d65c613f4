import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ProcessHandle, ProcessListener } from '../../protocol/sandbox/processes.ts';
import type {
  RestoreShell,
  ShellInfo,
  ShellOptions,
  ShellRun,
  ShellsFacet,
} from '../../protocol/sandbox/shells.ts';
import { toByteString } from '../../tree/content/byte-string.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { Extension, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import type { SnapshotExtras } from '../capture/snapshotter.ts';
import { QueuedRun } from './queued-run.ts';
import { randomId } from './random-id.ts';
import { SandboxShell, type SandboxShellParts, type ShellBeginning } from './sandbox-shell.ts';
import { decodeShell, encodeShell } from './saved-shell.ts';
import { isSameState, newState } from './shell-state.ts';
import { decodeShells, encodeShells, type SavedShell, shellsExtension } from './shells-extension.ts';
import { StdinBudget } from './stdin-budget.ts';

export interface SandboxShellsParts extends SandboxShellParts {
  readonly assertOpen: () => void;
  readonly read: (id: ObjectId) => Uint8Array | undefined;
}

/** The shells of a sandbox, which its snapshots have too. */
export class SandboxShells implements ShellsFacet {
  readonly #parts: SandboxShellsParts;
  readonly #shells = new Map<string, SandboxShell>();
  readonly #budget = new StdinBudget();
  /** Shells that are being opened. */
  #opening = 0;

  constructor(parts: SandboxShellsParts) {
    this.#parts = parts;
  }

  async open({ id, ...options }: ShellOptions & { readonly id?: string }): Promise<ShellInfo> {
    this.#parts.assertOpen();
    if (id !== undefined) return this.#get(id).info;
    const { cwd, envs, user = 'user' } = options;
    assertEnvs(envs);
    return this.#add({ user, state: newState(envs ? { envs } : {}) }, cwd === undefined ? {} : { cwd });
  }

  async run(ask: ShellRun, listener: ProcessListener): Promise<ProcessHandle> {
    this.#parts.assertOpen();
    const shell = this.#get(ask.id);
    assertCommand(ask.command);
    await this.#parts.machine.running();
    const run = new QueuedRun(ask, { pid: shell.pid, listener, budget: this.#budget });
    shell.enqueue(run);
    return run;
  }

  async list(): Promise<readonly ShellInfo[]> {
    this.#parts.assertOpen();
    return [...this.#shells.values()].map(({ info }) => info);
  }

  async save({ id }: { readonly id: string }): Promise<Uint8Array> {
    this.#parts.assertOpen();
    const { user, state } = this.#get(id);
    return encodeShell({ user, state, envs: Object.keys(this.#parts.settings.envs ?? {}) });
  }

  async restore({ bytes, user }: RestoreShell): Promise<ShellInfo> {
    this.#parts.assertOpen();
    const { envs = [], ...saved } = decodeShell(bytes);
    if (user === undefined || user === saved.user) return this.#add(saved, { restored: { envs } });
    const message = `Cannot open the shell as ${user}: the saved state is one of ${saved.user}`;
    throw new SandboxError('invalid-argument', message);
  }

  async close({ id }: { readonly id: string }): Promise<void> {
    this.#parts.assertOpen();
    const shell = this.#get(id);
    this.#shells.delete(id);
    this.#parts.onChange();
    await shell.close();
  }

  /** What a snapshot that is taken now has of the shells; nothing where there are none, and HEAD has none. */
  saved(): SnapshotExtras | undefined {
    const shells = [...this.#shells.values()].map(({ id, user, state, isReset }) => ({
      id,
      user,
      state,
      isReset,
    }));
    const { extension, objects } = encodeShells(shells);
    return {
      extensions: shells.length === 0 ? undefined : { [shellsExtension]: extension },
      objects: shells.length === 0 ? [] : objects,
      isIn: ({ extensions }) => this.#isSame(shells, extensions?.[shellsExtension]),
    };
  }

  /** For a fork that goes on from the machine as it runs: each as it is after its last command. */
  handOver(): ReturnType<typeof encodeShells> {
    return encodeShells([...this.#shells.values()].map(({ id, user, state }) => ({ id, user, state })));
  }

  /** In the fork, they go on with new bashes, as nothing leads to those that run. */
  takeOver({ extension, objects }: ReturnType<typeof encodeShells>): void {
    const bytesOf = new Map(objects.map(({ id, bytes }) => [id, bytes]));
    for (const shell of decodeShells(extension, (id) => bytesOf.get(id)))
      this.#shells.set(shell.id, new SandboxShell(shell, this.#parts));
  }

  /** The files are those of a snapshot, and every process has ended: shells go on from what it has of them. */
  resetTo(record: Pick<SnapshotRecord, 'extensions'> | undefined): void {
    this.#take(record, (shell, saved) => shell.resetTo(saved?.state));
  }

  /** The machine was restored to a checkpoint after that snapshot, with what ran at the checkpoint. */
  onRestored(record: Pick<SnapshotRecord, 'extensions'> | undefined): void {
    this.#take(record, (shell, saved) => shell.onRestored(saved?.state));
  }

  /** Ends runs that have not begun, and begins no others: the sandbox closes. The others are the machine's to end. */
  cancelWaiting(): void {
    for (const shell of this.#shells.values()) shell.cancelWaiting();
  }

  async #add(shell: Pick<SavedShell, 'user' | 'state'>, beginning: ShellBeginning): Promise<ShellInfo> {
    if (this.#shells.size + this.#opening >= limits.shells) {
      const message = `Cannot open a shell: the sandbox has ${limits.shells}, as many as it may. Close one`;
      throw new SandboxError('limit-exceeded', message, { details: { limit: limits.shells } });
    }
    this.#opening++;
    try {
      return await this.#open(shell, beginning);
    } finally {
      this.#opening--;
    }
  }

  async #open(saved: Pick<SavedShell, 'user' | 'state'>, beginning: ShellBeginning): Promise<ShellInfo> {
    const shell = new SandboxShell({ id: randomId(), ...saved }, this.#parts);
    try {
      await shell.open(beginning);
      this.#parts.assertOpen();
    } catch (error) {
      await shell.close();
      throw error;
    }
    this.#shells.set(shell.id, shell);
    return shell.info;
  }

  #take(
    record: Pick<SnapshotRecord, 'extensions'> | undefined,
    put: (shell: SandboxShell, saved: SavedShell | undefined) => void,
  ): void {
    const saved = this.#savedIn(record?.extensions?.[shellsExtension]);
    for (const shell of this.#shells.values()) put(shell, saved.get(shell.id));
    for (const { id, user, state } of saved.values()) {
      // Those of the snapshot come before others that were only opened.
      if (!this.#shells.has(id) && this.#makeRoom(saved))
        this.#shells.set(id, new SandboxShell({ id, user, state }, this.#parts));
    }
  }

  #makeRoom(saved: ReadonlyMap<string, SavedShell>): boolean {
    if (this.#shells.size < limits.shells) return true;
    const other = [...this.#shells.values()].find(({ id }) => !saved.has(id));
    if (!other) return false;
    this.#shells.delete(other.id);
    other.close().catch(() => undefined);
    return true;
  }

  #savedIn(extension: Extension | undefined): ReadonlyMap<string, SavedShell> {
    const shells = extension ? decodeShells(extension, this.#parts.read) : [];
    return new Map(shells.map((shell) => [shell.id, shell]));
  }

  /** Whether a snapshot has these shells but for their history. */
  #isSame(
    shells: readonly (SavedShell & { readonly isReset: boolean })[],
    extension: Extension | undefined,
  ): boolean {
    const saved = this.#savedIn(extension);
    const ids = new Set(shells.map(({ id }) => id));
    return (
      [...saved.keys()].every((id) => ids.has(id)) &&
      shells.every(({ id, state, isReset }) => {
        const other = saved.get(id);
        return other ? isSameState(other.state, state) : isReset;
      })
    );
  }

  /** @throws not-found */
  #get(id: string): SandboxShell {
    const shell = this.#shells.get(id);
    if (shell) return shell;
    throw new SandboxError('not-found', `There is no shell ${JSON.stringify(id)} in the sandbox`, {
      details: { id },
    });
  }
}

/** @throws invalid-argument, limit-exceeded */
function assertCommand(command: string): void {
  if (command.includes('\0'))
    throw new SandboxError('invalid-argument', 'Cannot run a command that contains NUL');
  const { execArgumentBytes } = limits;
  if (toByteString(command).length <= execArgumentBytes) return;
  const message = `Cannot run a command of more than ${execArgumentBytes} bytes: put it into a file`;
  throw new SandboxError('limit-exceeded', message, { details: { limit: execArgumentBytes } });
}

/** @throws invalid-argument, limit-exceeded */
function assertEnvs(envs: ShellOptions['envs'] = {}): void {
  let bytes = 0;
  for (const [name, value] of Object.entries(envs)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes('\0')) {
      const message = `Cannot open the shell: envs.${name.slice(0, 64)} is no variable that a process can have`;
      throw new SandboxError('invalid-argument', message);
    }
    bytes += toByteString(name + value).length;
  }
  if (bytes <= limits.execArgumentBytes) return;
  const message = `Cannot open a shell with an environment of ${bytes} bytes`;
  throw new SandboxError('limit-exceeded', message, { details: { limit: limits.execArgumentBytes } });
}
