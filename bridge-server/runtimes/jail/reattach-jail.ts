import { SandboxError } from '../../../protocol/errors.ts';
import type { Jail } from '../../contract.ts';
import { connectIn } from './connect-in.ts';
import type { ControlGroups } from './control-groups/control-groups.ts';
import { findControlGroups } from './control-groups/find-control-groups.ts';
import { openCustodyLauncher } from './custody-launcher.ts';
import { jailIdRanges } from './id-ranges.ts';
import type { JailLauncher } from './jail-launcher.ts';
import type { JailRecord } from './jail-record.ts';
import { NotedJail } from './noted-jail.ts';
import { RunningJail } from './running-jail.ts';
import { StoppedProcesses } from './stopped-processes.ts';

/**
 * Goes on with the jail that an earlier bridge has left in `folder`, where `record` was read. On failure
 * the jail has ended, and its folder is the caller's to remove.
 * @throws machine-failed when nobody is there or it cannot be gone on with, timeout
 */
export async function reattachJail(folder: string, record: JailRecord): Promise<Jail> {
  const launcher = await openCustodyLauncher(folder);
  try {
    const { ids, landlockAbi } = record;
    if (landlockAbi === undefined) throw failure('it had not passed its own test');
    const groups = record.hasGroups ? await openGroups(record.cgroup) : undefined;
    await assertFreezes(groups, launcher);
    const socket = await connectIn(folder, 'agent');
    if (ids.type === 'host') jailIdRanges.claim(ids.firstId);
    const noted = new NotedJail(folder, record);
    const release = async () => {
      await groups?.[Symbol.asyncDispose]();
      if (ids.type === 'host') jailIdRanges.give(ids.firstId);
      noted[Symbol.dispose]();
    };
    const jail = new RunningJail(launcher, socket, { groups, noted, release });
    jail.landlockAbi = landlockAbi;
    return jail;
  } catch (error) {
    launcher.end();
    await launcher.ended;
    throw error;
  }
}

/** Ends the jail that an earlier bridge has left in `folder`, if it runs. */
export async function endLeftJail(folder: string): Promise<void> {
  const launcher = await openCustodyLauncher(folder).catch(() => undefined);
  launcher?.end();
  await launcher?.ended;
}

/** A bridge may have died while it looked at files, so all goes on first. Whether this one can look is found out by trying. */
async function assertFreezes(groups: ControlGroups | undefined, launcher: JailLauncher): Promise<void> {
  const processes = StoppedProcesses.of(launcher);
  const freezer = groups ?? processes;
  try {
    if (groups) await groups.thaw();
    else await processes.goOn();
    await freezer.freeze();
  } catch (cause) {
    throw failure(`this bridge cannot stop it to look at its files (${SandboxError.from(cause).message})`);
  } finally {
    await freezer.thaw().catch(() => undefined);
  }
}

/** A bridge that was started from elsewhere may be in another group, and see none of its predecessor's. */
async function openGroups(name: string): Promise<ControlGroups> {
  const found = await findControlGroups();
  if (found.type === 'found' && (await found.maker.list()).includes(name)) return found.maker.open(name);
  throw failure('its control groups are out of reach');
}

function failure(why: string): SandboxError {
  return new SandboxError('machine-failed', `Cannot go on with the jail: ${why}`);
}
