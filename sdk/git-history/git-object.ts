import { sha1 } from '@noble/hashes/legacy.js';
import { Zlib, zlibSync } from 'fflate';
import { readByteString } from '../../tree/content/byte-string.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import type { WorkSlices } from '../../tree/next-task.ts';

/** An object of git, with the header that its id covers (gitformat-loose, "git hash-object"). */
export interface GitObject {
  /** 40 hex digits. */
  readonly id: string;
  /** The header, then the content. */
  readonly pieces: readonly Uint8Array[];
}

const sliceBytes = 262_144;
const encoder = new TextEncoder();

/** Hashes an object while its content comes, whose length is known. */
export class GitObjectWriter {
  readonly #hash = sha1.create();
  readonly #pieces: Uint8Array[] = [];

  constructor(type: 'blob' | 'tree' | 'commit', sizeBytes: number) {
    this.push(encoder.encode(`${type} ${sizeBytes}\0`));
  }

  /** The bytes are the object's from then on. */
  push(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#pieces.push(bytes);
  }

  finish(): GitObject {
    const id = Array.from(this.#hash.digest(), (byte) => byte.toString(16).padStart(2, '0')).join('');
    return { id, pieces: this.#pieces };
  }
}

/** An object whose content is at hand. */
export function gitObject(type: 'blob' | 'tree' | 'commit', content: Uint8Array): GitObject {
  const writer = new GitObjectWriter(type, content.length);
  writer.push(content);
  return writer.finish();
}

/** The 20 bytes of an id, as trees have them. */
export function rawId(id: string): string {
  const bytes = Uint8Array.from({ length: 20 }, (_, at) => Number.parseInt(id.slice(2 * at, 2 * at + 2), 16));
  return readByteString(bytes, 0, bytes.length);
}

/** The file of a loose object. Other work of the thread runs meanwhile. */
export async function deflateObject({ pieces }: GitObject, slices: WorkSlices): Promise<Uint8Array> {
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  // A stream takes megabytes for its tables.
  if (sizeBytes <= sliceBytes) {
    await slices.end();
    return zlibSync(joinBytes(pieces, sizeBytes));
  }
  const made: Uint8Array[] = [];
  let length = 0;
  const zlib = new Zlib((bytes) => {
    made.push(bytes);
    length += bytes.length;
  });
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += sliceBytes) {
      zlib.push(piece.subarray(at, at + sliceBytes));
      await slices.end();
    }
  }
  zlib.push(new Uint8Array(0), true);
  return joinBytes(made, length);
}
