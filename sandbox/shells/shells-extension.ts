import { limits } from '../../protocol/limits.ts';
import type { LostShellPart } from '../../protocol/sandbox/shells.ts';
import { isObject } from '../../protocol/schema.ts';
import { decodeChunk } from '../../tree/content/chunk.ts';
import { objectKinds } from '../../tree/content/kinds.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { Extension } from '../../tree/history/snapshot-record.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { treeLimits } from '../../tree/limits.ts';
import { hashObject, storedObject } from '../../tree/objects/hash-object.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { decodeHistory, decodeState, encodeHistory, encodeState, parseLost } from './saved-state.ts';
import type { ShellState } from './shell-state.ts';

/** A shell as a snapshot has it. */
export interface SavedShell {
  readonly id: string;
  readonly user: 'user' | 'root';
  readonly state: ShellState;
}

/**
 * An entry of the extension's text, a JSON list (SN-14). Its `state` pieces among the extension's objects are the directory, a
 * NUL and the script, its `history` pieces are a JSON list of commands: each a chunk (OB-6), one after the other.
 */
interface Entry {
  readonly id: string;
  readonly user: 'user' | 'root';
  readonly lost: readonly LostShellPart[];
  readonly state: number;
  readonly history: number;
}

/** Ids of shells are random; one of a snapshot is data of its maker. */
function isShellId(id: string): boolean {
  return /^[0-9a-f]{16}$/.test(id);
}

/** The name of the extension in a record (SN-14). */
export const shellsExtension = 'shells';

/** The shells as an extension of a snapshot's record, with the objects that it refers to. */
export function encodeShells(shells: readonly SavedShell[]): {
  readonly extension: Extension;
  readonly objects: readonly StoredObject[];
} {
  const objects: StoredObject[] = [];
  const entries = shells.map(({ id, user, state }): Entry => {
    const saved = savedObjects(state);
    objects.push(...saved.state, ...saved.history);
    return { id, user, lost: state.lost, state: saved.state.length, history: saved.history.length };
  });
  return { extension: { text: JSON.stringify(entries), objects: objects.map(({ id }) => id) }, objects };
}

/** The shells of an extension, as many as a sandbox may have; none of one that cannot be read, or is of another version. */
export function decodeShells(
  { text, objects }: Extension,
  read: (id: ObjectId) => Uint8Array | undefined,
): readonly SavedShell[] {
  try {
    const entries: unknown = JSON.parse(text);
    if (!Array.isArray(entries)) return [];
    let at = 0;
    const take = (count: unknown): Uint8Array => {
      const ids = objects.slice(at, at + parseCount(count));
      at += ids.length;
      return readPieces(ids, read);
    };
    return entries.slice(0, limits.shells).map((entry) => parseShell(entry, take));
  } catch {
    return [];
  }
}

/** The objects of a state, which does not change. */
const saved = new WeakMap<ShellState, { state: readonly StoredObject[]; history: readonly StoredObject[] }>();

function savedObjects(state: ShellState): NonNullable<ReturnType<(typeof saved)['get']>> {
  const known = saved.get(state);
  if (known) return known;
  const objects = {
    state: toPieces(encodeState(state)),
    history: toPieces(encodeHistory(state.history)),
  };
  saved.set(state, objects);
  return objects;
}

/** No piece ends with a NUL: a directory is shorter than one, and scripts and JSON have none. */
function toPieces(bytes: Uint8Array): readonly StoredObject[] {
  const pieces: StoredObject[] = [];
  for (let at = 0; at < bytes.length; at += treeLimits.extentBytes) {
    const piece = bytes.subarray(at, at + treeLimits.extentBytes);
    const object = new Uint8Array(1 + piece.length);
    object[0] = objectKinds.chunk;
    object.set(piece, 1);
    pieces.push(storedObject(object));
  }
  return pieces;
}

function parseShell(value: unknown, take: (count: unknown) => Uint8Array): SavedShell {
  if (!isObject(value)) throw new RangeError('Cannot read a shell: it is no object');
  const { id, user, lost, state, history } = value;
  if (typeof id !== 'string' || !isShellId(id)) throw new RangeError('Cannot read a shell: it has no id');
  const kept = decodeState(take(state));
  return {
    id,
    user: user === 'root' ? 'root' : 'user',
    state: { ...kept, history: decodeHistory(take(history)), lost: parseLost(lost) },
  };
}

/** Pieces of a state or a history: more than any has are none. */
function parseCount(count: unknown): number {
  const most = (2 * limits.shellStateBytes) / treeLimits.extentBytes;
  if (Number.isInteger(count) && Number(count) >= 0 && Number(count) <= most) return Number(count);
  throw new RangeError('Cannot read a shell: it has no number of pieces');
}

function readPieces(ids: readonly ObjectId[], read: (id: ObjectId) => Uint8Array | undefined): Uint8Array {
  const pieces = ids.map((id) => {
    const object = read(id);
    if (object === undefined || hashObject(object) !== id)
      throw new RangeError('Cannot read a shell: an object is missing or damaged');
    return decodeChunk(object);
  });
  return joinBytes(
    pieces,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
}
