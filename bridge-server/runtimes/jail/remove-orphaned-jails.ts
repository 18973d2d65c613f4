import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ControlGroups } from './control-groups/control-groups.ts';
import { findControlGroups } from './control-groups/find-control-groups.ts';
import { waitUntil } from './control-groups/group-files.ts';

/**
 * Ends what an earlier bridge left when it was killed: jails die with it, but not those that were
 * frozen, and control groups never. `prefix` is that of the groups' names, and no other bridge's.
 * Those named in `except` go on. Resolves to how many there were.
 * @throws timeout when something does not die
 */
export async function removeOrphanedJails(
  prefix: string,
  { except = new Set() }: { readonly except?: ReadonlySet<string> } = {},
): Promise<number> {
  if (prefix === '') throw new SandboxError('invalid-argument', 'Cannot remove jails: no prefix is given');
  const found = await findControlGroups();
  if (found.type === 'none') return 0;
  const names = (await found.maker.list()).filter((name) => name.startsWith(prefix) && !except.has(name));
  for (const name of names) await endGroup(found.maker.open(name));
  return names.length;
}

async function endGroup(groups: ControlGroups): Promise<void> {
  const isEmpty = async (): Promise<boolean> => {
    const pids = await groups.processes();
    for (const pid of pids) kill(pid);
    return pids.length === 0;
  };
  if (!(await isEmpty())) {
    // Signals reach what is frozen only now, and before anything of it runs.
    await groups.thaw();
    await waitUntil(isEmpty, { what: 'end the jails left behind', timeoutMs: limits.jailEndTimeoutMs });
  }
  await groups[Symbol.asyncDispose]();
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
