import { listenAbort, orAborted, throwIfAborted } from '../abort.ts';
import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { SandboxConnection } from '../sandbox/connection.ts';
import { plainTar } from './plain-tar.ts';
import { TarChecker } from './tar-checker.ts';
import { Unpacking } from './unpacking.ts';

/** A summary of an unpacked archive. */
export interface UnpackedArchive {
  /** Members that are in the archive. */
  readonly entries: number;
  /** Of its files. */
  readonly sizeBytes: number;
}

export interface UnpackOptions {
  /** The absolute path of an existing directory. */
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

/** For servers that unpack for clients. */
export interface MeteredUnpackOptions extends UnpackOptions {
  /** Called with the memory that the archive takes, whenever that changes; if it throws, the unpacking ends. */
  readonly onHeld?: ((bytes: number) => void) | undefined;
}

/**
 * Unpacks a tar archive, or a gzip of one, into a directory of a running sandbox, as its bytes arrive: all of it, or
 * nothing if it is refused, cut off, does not fit or is aborted.
 *
 * A process of the sandbox unpacks it, as with every other file that is written from outside: so the guest's kernel
 * keeps its caches right, and links cannot lead out of the sandbox. The archive that this process gets was
 * checked and written again here (`TarChecker`).
 * @throws invalid-argument, limit-exceeded, not-found, storage-full, unsupported (no tar inside), aborted, timeout
 */
export async function unpackArchive(
  connection: SandboxConnection,
  source: AsyncIterable<Uint8Array>,
  { path, signal, onHeld = () => {} }: MeteredUnpackOptions,
): Promise<UnpackedArchive> {
  const what = `Cannot unpack the archive into "${path}"`;
  throwIfAborted(signal, what);
  if (!path.startsWith('/') || path.includes('\0')) {
    throw new SandboxError('invalid-argument', `${what}: it is not an absolute path`);
  }
  const { diskMiB } = await connection.info.get();
  const checker = new TarChecker({ mostBytes: diskMiB * 1_048_576 });
  const unpacking = await Unpacking.start(connection, path);
  const unlisten = listenAbort(signal, () => void unpacking.giveUp().catch(() => undefined));
  try {
    await orAborted(feed(plainTar(source), { checker, unpacking, onHeld }), { signal, what });
    const failure = await unpacking.finish();
    if (failure) throw new SandboxError(failure.code, `${what}: ${failure.why}`, { details: { path } });
    return checker.passed;
  } catch (error) {
    await unpacking.giveUp();
    throwIfAborted(signal, what);
    throw error;
  } finally {
    unlisten();
  }
}

/** Resolves when all is written, or the process reads no more. */
async function feed(
  pieces: AsyncIterable<Uint8Array>,
  parts: { checker: TarChecker; unpacking: Unpacking; onHeld: (bytes: number) => void },
): Promise<void> {
  const { checker, unpacking, onHeld } = parts;
  for await (const piece of pieces) {
    // A large piece is checked in parts, so that the thread is not blocked for long.
    for (let at = 0; at < piece.length; at += limits.unpackPieceBytes) {
      const passed = checker.push(piece.subarray(at, at + limits.unpackPieceBytes));
      // One header may have produced many: the output waits until the sandbox takes it.
      onHeld(checker.heldBytes + passed.length);
      if (!(await unpacking.write(passed))) return;
    }
  }
  await unpacking.write(checker.end());
}
