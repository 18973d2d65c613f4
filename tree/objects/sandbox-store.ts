import type { ObjectId } from '../content/object-id.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';

/** A ref's value after a commit; `undefined` deletes the ref. */
export interface RefChange {
  readonly name: string;
  readonly value: string | undefined;
}

/** Objects and refs that become durable together. */
export interface Commit {
  readonly objects: readonly StoredObject[];
  readonly refs: readonly RefChange[];
}

/**
 * The durable store of one sandbox: its objects and its refs (HEAD, snapshots, tags) in one place,
 * so that publishing a snapshot is one atomic step. It has one writer; reads never wait. Every
 * implementation runs `sandboxStoreSuite` and `objectStoreSuite` (test/conformance).
 */
export interface SandboxStore extends ObjectStore {
  readonly backend: 'opfs' | 'idb' | 'files' | 'memory';
  /** Bytes the store takes, garbage included. */
  readonly sizeBytes: number;
  /** Bytes that the last sweep left, or those of the first commit before there was one; 0 if neither is known. */
  readonly sweptBytes: number;
  /** Objects that were found torn or altered; they count as absent until they are put again. */
  readonly corrupt: ReadonlySet<ObjectId>;
  /** `get` for the machine's I/O path, which cannot await. The bytes are the caller's. */
  readSync(id: ObjectId): Uint8Array | undefined;
  /** The length of an object, without reading it; 0 if it is absent. */
  sizeOf(id: ObjectId): number;
  /** The value of a ref, or `undefined`. */
  ref(name: string): string | undefined;
  /** All refs whose name starts with `prefix`, sorted by name. */
  refs(prefix: string): [name: string, value: string][];
  /**
   * Makes objects and refs durable together: after a crash both are there or neither. On failure
   * nothing that was saved before is touched, and a later commit may succeed. Refs are checked by
   * `assertRefChange`.
   * @throws storage-full, read-only, limit-exceeded
   */
  commit(commit: Commit): Promise<void>;
  /** Releases files and locks; afterwards every call fails. Calling it again does nothing. */
  close(): Promise<void>;
}

/** Longest ref name and value, in UTF-8 bytes. */
const refNameBytes = 256;
const refValueBytes = 4_096;

const encoder = new TextEncoder();

/** Throws a `RangeError` when a ref's name is empty, or its name or value is too long. */
export function assertRefChange(change: RefChange): void {
  const name = encoder.encode(change.name).length;
  if (name === 0 || name > refNameBytes)
    throw new RangeError(`A ref name has 1 to ${refNameBytes} bytes, not ${name}`);
  const value = change.value === undefined ? 0 : encoder.encode(change.value).length;
  if (value > refValueBytes)
    throw new RangeError(
      `The value of ref "${change.name}" has ${value} bytes; ${refValueBytes} is the most`,
    );
}
