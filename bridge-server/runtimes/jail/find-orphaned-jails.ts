import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { Jail } from '../../contract.ts';
import { type JailRecord, readJailRecord } from './jail-record.ts';
import { endLeftJail, reattachJail } from './reattach-jail.ts';

export interface FoundJail {
  readonly record: JailRecord;
  readonly jail: Jail;
}

export interface FindOptions {
  /** Throws when a jail is not to be gone on with. */
  readonly assertWanted: (record: JailRecord) => Promise<void>;
  /** Told of each jail that is not gone on with, and of which sandbox it was, if that can be told. */
  readonly onLost: (sandbox: string | undefined, why: SandboxError) => void;
}

/**
 * Goes on with the jails that an earlier bridge has left in the folders in `folder`, ends the others, and
 * removes what is there of them. Jails that have ended since are told of as well.
 */
export async function findOrphanedJails(folder: string, options: FindOptions): Promise<FoundJail[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found: FoundJail[] = [];
  for (const name of await readdir(folder)) {
    const others = found.map(({ record }) => record.sandbox);
    const jail = await find(join(folder, name), { ...options, others });
    if (jail) found.push(jail);
  }
  return found;
}

async function find(
  folder: string,
  { assertWanted, onLost, others }: FindOptions & { readonly others: readonly string[] },
): Promise<FoundJail | undefined> {
  let record: JailRecord | undefined;
  try {
    record = readJailRecord(folder);
    if (others.length >= limits.leftJails) throw refusal(record, `there are more than ${limits.leftJails}`);
    if (others.includes(record.sandbox)) throw refusal(record, 'its sandbox has another one');
    await assertWanted(record);
    return { record, jail: await reattachJail(folder, record) };
  } catch (error) {
    onLost(record?.sandbox, SandboxError.from(error));
    await endLeftJail(folder);
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
}

function refusal({ sandbox }: JailRecord, why: string): SandboxError {
  const message = `Cannot go on with the jail of sandbox "${sandbox}": ${why}`;
  return new SandboxError('limit-exceeded', message, { details: { sandbox } });
}
