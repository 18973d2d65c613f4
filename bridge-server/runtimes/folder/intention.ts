import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { SandboxError } from '../../../protocol/errors.ts';
import type { MoveEnd } from '../../../sandbox/machine/sandbox-machine.ts';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { translated } from '../../stores/disk-error.ts';
import { isGone } from './folder-entry.ts';

/** That a folder is being written: it is there before the first change and until HEAD names what the folder has. */
export interface Intention {
  /** In the names of all that the writer has in the folder meanwhile. */
  readonly id: string;
  readonly from: MoveEnd;
  readonly to: MoveEnd;
  readonly beganMs: number;
  /** Of each step, in their order. */
  readonly paths: readonly ByteString[];
  /** The directories that have such names. */
  readonly holders: readonly ByteString[];
}

/** Durable when it returns. @throws storage-full, read-only */
export function writeIntention(path: string, intention: Intention): void {
  translated('note what is to be written', () => {
    const made = `${path}.new`;
    const file = openSync(made, 'w', 0o600);
    try {
      const text = Buffer.from(JSON.stringify(intention));
      for (let sent = 0; sent < text.length; ) sent += writeSync(file, text, sent);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(made, path);
    const folder = openSync(dirname(path), 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  });
}

/** What a writer has left that was ended amid its work; nothing where none was. @throws corrupt-object */
export function readIntention(path: string): Intention | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  try {
    const value: Intention = JSON.parse(text);
    const isWhole =
      [value.from, value.to].every(({ id, tree }) => typeof id === 'string' && typeof tree === 'string') &&
      /^[0-9a-f]{12}$/.test(value.id) &&
      [...value.paths, ...value.holders].every((each) => typeof each === 'string');
    if (isWhole) return value;
  } catch {
    // It is told below.
  }
  throw new SandboxError('corrupt-object', `${path} is damaged. Delete it to keep the folder as it is`);
}

export function removeIntention(path: string): void {
  rmSync(path, { force: true });
}
