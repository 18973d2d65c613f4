import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import type { CommandResult } from '../commands.ts';
import type { ShellRunOptions } from '../shells.ts';
import { type CarriedShell, discard, markShell, type PlacedShell, type ShellMark } from './carry-shell.ts';
import { wasKilledForMemory } from './memory-kill.ts';
import type { NamedPlace } from './place.ts';
import { offerOf, withNeeds } from './place-offer.ts';
import type { RoutedShellResult } from './routed-shell-options.ts';
import type { ShellPosition } from './shell-position.ts';
import { describeTrouble, findTrouble, mayHelp, type Trouble } from './trouble.ts';

export interface RoutedTask {
  readonly command: string;
  readonly options: ShellRunOptions;
  readonly movesOnTimeout: boolean | undefined;
}

/** A command that has ended in a place. */
interface Try {
  readonly result: CommandResult;
  /** Absent where it did not fail, or where it cannot go on elsewhere. */
  readonly failure: Failure | undefined;
}

/** Why a command may do better elsewhere, and the instant before it, to go on from. */
interface Failure {
  readonly at: PlacedShell;
  readonly mark: ShellMark;
  readonly trouble: Trouble;
}

/**
 * Runs a command where the shell is and, while it ends in trouble that another place may not have, from its beginning in
 * later places. The shell goes along where the command got further; a place that lacks its program, too, is given up.
 * @throws as `Shell.run`
 */
export async function runUpwards(position: ShellPosition, task: RoutedTask): Promise<RoutedShellResult> {
  if (position.later.length === 0) {
    const result = await position.at.shell.run(task.command, task.options);
    return { ...result, choice: position.choice };
  }
  let tried = await tryAt(position.at, task);
  while (tried.failure) {
    const next = await tryLater(position, { failed: tried.failure, task });
    if (typeof next === 'string') return { ...tried.result, choice: { ...position.choice, why: next } };
    tried = next;
  }
  return { ...tried.result, choice: position.choice };
}

async function tryAt(
  at: PlacedShell,
  { command, options, movesOnTimeout }: RoutedTask,
  sought?: string,
): Promise<Try> {
  const mark = await markShell(at, `before ${command.slice(0, 200)}`).catch(ifFull);
  const result = await at.shell.run(command, options);
  const trouble = findTrouble(result, { movesOnTimeout, sought }) ?? (mark && (await findKill(at, result)));
  return { result, failure: mark && trouble && { at, mark, trouble } };
}

/** Looks for a kill for want of memory where the result does not say it. */
async function findKill(
  { place, sandbox }: PlacedShell,
  result: CommandResult,
): Promise<Trouble | undefined> {
  if (!describeRuntime(place.runtime)?.logsMemoryKills) return undefined;
  const isKilled = await wasKilledForMemory(sandbox.connection, result).catch(() => false);
  return isKilled ? { type: 'memory' } : undefined;
}

/** Without room for a snapshot, the command may be the one that makes some. */
function ifFull(error: unknown): undefined {
  if (SandboxError.from(error).code !== 'storage-full') throw error;
}

/** The try in which the command got further, where the shell is now; or why there is none. */
async function tryLater(
  position: ShellPosition,
  { failed, task }: { readonly failed: Failure; readonly task: RoutedTask },
): Promise<Try | string> {
  const { signal } = task.options;
  const failures: Failure[] = [failed];
  const reasons = [describeTrouble(failed.trouble, failed.at.place)];
  const [why = ''] = reasons;
  for (const place of position.later) {
    if (
      !failures.every(({ trouble, at }) =>
        mayHelp(trouble, { from: at.place, info: at.sandbox.info, to: place }),
      )
    )
      continue;
    const to = withTrouble(place, failed);
    const made = await position.carry(to, { mark: failed.mark, signal }).catch((error: unknown) => {
      throwIfAborted(signal, 'Cannot go on with the command elsewhere');
      reasons.push(`${to.name} cannot take it: ${SandboxError.from(error).message}`);
    });
    if (!made) continue;
    const tried = await tryMade(position, { made, failed, task, why });
    if (!isNoBetter(tried.failure)) return tried;
    failures.push(tried.failure);
    reasons.push(describeTrouble(tried.failure.trouble, to));
  }
  const choice = { ...position.choice, why: reasons.join('; ') };
  if (reasons.length > 1) position.tell(choice);
  return choice.why;
}

/** Runs it in a place that was made for that, and stays there if it is no worse; otherwise that is no more. */
async function tryMade(
  position: ShellPosition,
  parts: {
    readonly made: CarriedShell;
    readonly failed: Failure;
    readonly task: RoutedTask;
    readonly why: string;
  },
): Promise<Try> {
  const { made, failed, task, why } = parts;
  try {
    const choice = position.choiceOf(made, { mark: failed.mark, why });
    position.tell(choice);
    const { trouble } = failed;
    const tried = await tryAt(made, task, trouble.type === 'program' ? trouble.program : undefined);
    if (isNoBetter(tried.failure)) await discard(made);
    else await position.settle(made, choice, { undo: failed.mark });
    return tried;
  } catch (error) {
    await discard(made);
    throw error;
  }
}

function isNoBetter(failure: Failure | undefined): failure is Failure {
  return failure?.trouble.type === 'program' || failure?.trouble.type === 'format';
}

/** What there was too little of, there is to be twice as much of, as far as the place has it. */
function withTrouble(place: NamedPlace, { trouble, at }: Failure): NamedPlace {
  const { memoryMiB, diskMiB } = at.sandbox.info;
  const most = offerOf(place);
  if (trouble.type === 'memory')
    return withNeeds(place, { memoryMiB: Math.min(2 * memoryMiB, most.memoryMiB) });
  if (trouble.type !== 'disk' || most.diskMiB === undefined) return place;
  return withNeeds(place, { diskMiB: Math.min(2 * diskMiB, most.diskMiB) });
}
