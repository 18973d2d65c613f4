import { SandboxError } from '../../protocol/errors.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import type { CreateOptions, SandboxSettings } from '../../protocol/sandbox/backend.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { LostShellPart } from '../../protocol/sandbox/shells.ts';
import { Sandbox } from '../sandbox.ts';
import type { Shell } from '../shells.ts';
import { carryFiles } from './carry-files.ts';
import { inspectCommand } from './inspect-command.ts';
import type { NamedPlace } from './place.ts';
import { keepsImage } from './trouble.ts';

/** A shell in a sandbox at a place. */
export interface PlacedShell {
  readonly place: NamedPlace;
  readonly sandbox: Sandbox;
  readonly shell: Shell;
}

/** One that has come from elsewhere. */
export interface CarriedShell extends PlacedShell {
  /** What of its state did not come along. */
  readonly lost: readonly LostShellPart[];
}

/** An instant of a shell and its files. */
export interface ShellMark {
  readonly snapshot: SnapshotInfo['id'];
  /** As `Shell.save` gives it. */
  readonly state: Uint8Array;
}

export interface CarryOptions {
  readonly to: NamedPlace;
  readonly mark: ShellMark;
  readonly settings: Omit<SandboxSettings, 'network'>;
  readonly signal: AbortSignal | undefined;
}

/** Takes a mark. @throws as `createSnapshot` */
export async function markShell({ sandbox, shell }: PlacedShell, label: string): Promise<ShellMark> {
  const [{ id: snapshot }, state] = await Promise.all([
    sandbox.createSnapshot({ label, ifChanged: true }),
    shell.save(),
  ]);
  return { snapshot, state };
}

/**
 * Makes a sandbox at another place in which the shell goes on from a mark. It has the hooks of this one, which
 * stays as it is; when it fails or is aborted, nothing is left there.
 * @throws as `Sandbox.create`, `Sandbox.copyTo`, `carryFiles` and `ShellsFacet.restore`
 */
export async function carryShell(from: PlacedShell, options: CarryOptions): Promise<CarriedShell> {
  const { to } = options;
  const startsEmpty = !describeRuntime(to.runtime)?.image;
  const canCopy = from.sandbox.info.image === '' ? startsEmpty : keepsImage(from.sandbox.info, to);
  if (!canCopy) return makeAnew(from, options);
  try {
    return await copy(from, options);
  } catch (error) {
    // A host that lacks the image has another, or another one of that name.
    if (SandboxError.from(error).code !== 'asset-unavailable') throw error;
    return makeAnew(from, options);
  }
}

/** With the same first files, a snapshot moves as it is. */
async function copy(from: PlacedShell, { to, mark, settings, signal }: CarryOptions): Promise<CarriedShell> {
  const sandbox = await from.sandbox.copyTo(to.backend, {
    snapshot: mark.snapshot,
    runtime: to.runtime,
    settings: { ...settings, ...(to.network ? { network: to.network } : {}) },
    ...sizesOf(to),
    ...(signal ? { signal } : {}),
  });
  return finish(sandbox, to, async () => {
    // The snapshot's has an older history, and does not say what it lacks here.
    await sandbox.connection.shells.close({ id: from.shell.id }).catch(ifThere);
    return sandbox.shell({ state: mark.state });
  });
}

async function makeAnew(from: PlacedShell, options: CarryOptions): Promise<CarriedShell> {
  const { to, mark, settings, signal } = options;
  const { hooks } = from.sandbox;
  const label = `from ${from.place.name}`;
  const { id } = await carryFiles(from.sandbox, { to, snapshot: mark.snapshot, settings, label, signal });
  try {
    const opening = { ...(hooks ? { hooks } : {}), ...(signal ? { signal } : {}) };
    const sandbox = await Sandbox.open(id, { backend: to.backend, ...opening });
    return await finish(sandbox, to, () => sandbox.shell({ state: mark.state }));
  } catch (error) {
    // Nobody would know of it.
    await to.backend.delete({ id }).catch(() => undefined);
    throw error;
  }
}

async function finish(
  sandbox: Sandbox,
  place: NamedPlace,
  open: () => Promise<Shell>,
): Promise<CarriedShell> {
  try {
    const shell = await open();
    const { lost } = await shell.info();
    return { place, sandbox, shell, lost };
  } catch (error) {
    await discard({ place, sandbox });
    throw error;
  }
}

function ifThere(error: unknown): void {
  if (SandboxError.from(error).code !== 'not-found') throw error;
}

/** A new sandbox at a place. @throws as `Sandbox.create` */
export function openSandboxAt(
  place: NamedPlace,
  {
    hooks,
    signal,
    ...settings
  }: Pick<CreateOptions, 'name' | 'envs' | 'cwd' | 'metadata' | 'workspace'> &
    Pick<CarryOptions, 'signal'> &
    Pick<Sandbox, 'hooks'>,
): Promise<Sandbox> {
  const { backend, runtime, image, network } = place;
  return Sandbox.create({
    ...settings,
    ...{ backend, runtime },
    ...(image === undefined ? {} : { image }),
    ...(network === undefined ? {} : { network }),
    ...sizesOf(place),
    ...(hooks ? { hooks } : {}),
    ...(signal ? { signal } : {}),
  });
}

/** Whether a sandbox that is new in a place has a program; without it, or where that cannot be seen, it is given up. */
export async function keepIfHas(
  at: PlacedShell,
  program: string | undefined,
  signal?: AbortSignal,
): Promise<boolean> {
  if (program === undefined) return true;
  let has = false;
  try {
    const { missing } = await inspectCommand(at.sandbox.connection, { command: [program], signal });
    has = missing === undefined;
    return has;
  } finally {
    if (!has) await discard(at);
  }
}

/** Nobody knows of it. Where its backend is gone, it stays there. */
export async function discard({ place, sandbox }: Pick<PlacedShell, 'place' | 'sandbox'>): Promise<void> {
  await sandbox.close({ discard: true }).catch(() => undefined);
  await place.backend.delete({ id: sandbox.id }).catch(() => undefined);
}

function sizesOf({ memoryMiB, diskMiB }: NamedPlace): Pick<NamedPlace, 'memoryMiB' | 'diskMiB'> {
  return { ...(memoryMiB === undefined ? {} : { memoryMiB }), ...(diskMiB === undefined ? {} : { diskMiB }) };
}
