import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxRecords } from '../../sandbox/backend/sandbox-records.ts';
import type { HostNetworks } from '../network/host-networks.ts';
import { type FoundJail, findOrphanedJails } from '../runtimes/jail/find-orphaned-jails.ts';
import type { JailRecord } from '../runtimes/jail/jail-record.ts';
import { removeOrphanedJails } from '../runtimes/jail/remove-orphaned-jails.ts';

/** What tells which jails are still wanted. */
interface Wanted {
  /** What the names of their control groups begin with. */
  readonly group: string;
  readonly records: SandboxRecords;
  readonly allowNested: boolean;
  /** Where those go on that have a network; none may have one without. */
  readonly networks: Pick<HostNetworks, 'attach'> | undefined;
  /** Whether any is. */
  readonly goesOn: boolean;
}

/** Where the jails of the host in `folder` leave word for the next process. */
export function jailsFolder(folder: string): string {
  return join(folder, 'jails');
}

/**
 * Goes on with the jails of an earlier process on `folder` whose sandboxes are there, and ends all others.
 * Disposing of what it answers leaves them to yet another process.
 * @throws timeout when something does not die
 */
export async function adoptJails(
  folder: string,
  {
    onLost,
    ...wanted
  }: Wanted & { readonly onLost: (sandbox: string | undefined, why: SandboxError) => void },
): Promise<Disposable & { readonly jails: readonly FoundJail[] }> {
  const assertWanted = (record: JailRecord) => assertIsWanted(record, wanted);
  const jails = await findOrphanedJails(jailsFolder(folder), { assertWanted, onLost });
  await removeOrphanedJails(wanted.group, { except: new Set(jails.map(({ record }) => record.cgroup)) });
  for (const { record, jail } of jails) {
    if (record.network === undefined) continue;
    const { allow } = await wanted.records.get(record.sandbox);
    const opened = wanted.networks?.attach(record.sandbox, { allow, key: record.network });
    void jail.ended.then(() => opened?.[Symbol.dispose]());
  }
  return {
    jails,
    [Symbol.dispose]: () => {
      for (const { jail } of jails) jail.leave();
    },
  };
}

async function assertIsWanted(
  record: JailRecord,
  { group, records, allowNested, networks, goesOn }: Wanted,
): Promise<void> {
  if (!goesOn) throw refusal(record, 'this bridge was told to go on with none');
  if (!record.cgroup.startsWith(group)) throw refusal(record, 'it is of another folder');
  if (record.network !== undefined && !networks)
    throw refusal(record, 'its sandbox has a network, which is not allowed any more');
  const { nested } = await records.get(record.sandbox);
  if (nested && !allowNested) throw refusal(record, 'its sandbox is nested, which is not allowed any more');
}

function refusal({ sandbox }: JailRecord, why: string): SandboxError {
  const message = `Cannot go on with the jail of sandbox "${sandbox}": ${why}`;
  return new SandboxError('machine-failed', message, { details: { sandbox } });
}
