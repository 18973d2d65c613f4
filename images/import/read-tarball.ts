import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ImageOrigin, TarStream } from './image-origin.ts';
import { importFailure } from './image-origin.ts';
import { unpacked } from './unpacked.ts';

type Tarball = Extract<ImageOrigin, { type: 'tarball' }>;

/** An archive as it is stored, compressed or not. */
interface StoredTarball {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** 0 where nobody knows. */
  readonly totalBytes: number;
}

/**
 * A tar archive from a file or a URL, plain or compressed by gzip, xz or zstd. With a SHA-256 of the
 * file as it is stored, `finish` rejects where that is another.
 * @throws invalid-argument, now and from its pieces and end
 */
export async function readTarball(
  { from, sha256 }: Tarball,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<TarStream> {
  const stored = await openTarball(from, signal);
  const hash = createHash('sha256');
  let doneBytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of stored.bytes) {
      doneBytes += piece.length;
      hash.update(piece);
      yield piece;
    }
  }
  return {
    pieces: named(unpacked(counted()), from),
    progress: () => ({ doneBytes, totalBytes: stored.totalBytes }),
    finish: async () => {
      const digest = hash.digest('hex');
      if (sha256 !== undefined && digest !== sha256)
        throw importFailure(from, `its SHA-256 is ${digest}, not ${sha256}`);
      return [];
    },
  };
}

async function openTarball(from: string, signal: AbortSignal | undefined): Promise<StoredTarball> {
  if (!/^https?:/i.test(from)) {
    const info = await stat(from).catch((cause) => {
      throw importFailure(from, 'there is no such file', cause);
    });
    if (!info.isFile()) throw importFailure(from, 'it is no file; a folder is imported by --from');
    return { bytes: createReadStream(from, { signal }), totalBytes: info.size };
  }
  const answer = await fetch(from, { signal: signal ?? null }).catch((cause) => {
    throw importFailure(from, `its server does not answer (${reason(cause)})`, cause);
  });
  if (!answer.ok || !answer.body) throw importFailure(from, `its server answers ${answer.status}`);
  return { bytes: answer.body, totalBytes: Number(answer.headers.get('content-length') ?? 0) };
}

/** What goes wrong on the way is told with the archive's name. */
async function* named(pieces: AsyncIterable<Uint8Array>, from: string): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (cause) {
    throw importFailure(from, reason(cause), cause);
  }
}

function reason(cause: unknown): string {
  const { message, cause: inner } = cause as Error;
  return inner instanceof Error ? inner.message : message;
}
