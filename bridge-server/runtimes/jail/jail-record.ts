import { closeSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { OutlivingJail, RootName } from '../../contract.ts';
import { diskError } from '../../stores/disk-error.ts';
import type { JailIds } from './launch-request.ts';

/** What the next bridge has to know of a jail. */
export interface JailRecord extends Pick<OutlivingJail, 'sandbox' | 'root' | 'trees'> {
  readonly cgroup: string;
  /** Whether control groups of that name were made. */
  readonly hasGroups: boolean;
  readonly ids: JailIds;
  /** `JailRelay.key`, of one that has a network. */
  readonly network: string | undefined;
  /** `Jail.landlockAbi`; none while the jail has not passed its own test. */
  readonly landlockAbi: number | undefined;
}

const version = 1;
const fileName = 'record.json';

/**
 * Writes it down in the jail's folder, whole or not at all. Not flushed: with the host goes the jail.
 * @throws storage-full, internal
 */
export function writeJailRecord(folder: string, record: JailRecord): void {
  const path = join(folder, fileName);
  try {
    writeFileSync(`${path}.new`, JSON.stringify({ version, ...record }), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw diskError('note what a jail is', cause);
  }
}

/** @throws corrupt-object that says what is wrong */
export function readJailRecord(folder: string): JailRecord {
  try {
    return parse(JSON.parse(readSome(join(folder, fileName))));
  } catch (cause) {
    const why = (cause as Error).message;
    throw new SandboxError('corrupt-object', `The note of what the jail is cannot be read: ${why}`, {
      cause,
    });
  }
}

function readSome(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(limits.jailRecordBytes);
    return bytes.toString('utf8', 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

const isTree = /^[0-9a-f]{64}$/;
const isSandbox = /^[0-9a-z-]{1,64}$/;
const isGroup = /^[A-Za-z0-9_-]{1,200}$/;
const isUuid = /^[0-9a-f-]{36}$/;
const isLayer = /^[0-9a-f]{64}(-[0-9a-f]{64})?(\.passing(-[0-9a-f-]{36})?)?$/;

function parse(value: unknown): JailRecord {
  const fields = objectOf(value);
  if (fields.version !== version) throw new Error('it is of another version');
  const { landlockAbi, network } = fields;
  return {
    sandbox: textOf(fields.sandbox, isSandbox),
    cgroup: textOf(fields.cgroup, isGroup),
    hasGroups: fields.hasGroups === true,
    trees: listOf(fields.trees, isTree) as ObjectId[],
    root: rootOf(objectOf(fields.root)),
    ids: idsOf(objectOf(fields.ids)),
    network: network === undefined ? undefined : textOf(network, isUuid),
    landlockAbi: landlockAbi === undefined ? undefined : integerOf(landlockAbi),
  };
}

function rootOf({ kind, folder, layers, madeAtMs }: Record<string, unknown>): RootName {
  if (kind !== 'overlay' && kind !== 'copy' && kind !== 'btrfs') throw new Error('its root is of no kind');
  return {
    kind,
    folder: textOf(folder, isUuid),
    layers: listOf(layers, isLayer),
    madeAtMs: integerOf(madeAtMs),
  };
}

function idsOf({ type, firstId }: Record<string, unknown>): JailIds {
  if (type === 'one' || type === 'ours') return { type };
  if (type === 'host') return { type, firstId: integerOf(firstId) };
  throw new Error('its ids are of no kind');
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw new Error('an object is missing');
}

function textOf(value: unknown, form: RegExp): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw new Error('a text is missing or of another form');
}

function listOf(value: unknown, form: RegExp): string[] {
  if (Array.isArray(value) && value.length <= limits.rootLayers + 2)
    return value.map((one) => textOf(one, form));
  throw new Error('a list is missing or too long');
}

function integerOf(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new Error('a number is missing');
}
