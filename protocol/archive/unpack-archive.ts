import { listenAbort, orAborted, throwIfAborted } from '../abort.ts';
import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { SandboxConnection } from '../sandbox.ts';
import { plainTar } from './plain-tar.ts';
import { TarChecker } from './tar-checker.ts';
import { Unpacking } from './unpacking.ts';

/** What an archive had. */
export interface UnpackedArchive {
  /** Members, as far as they are in the archive. */
  readonly entries: number;
  /** Of its files. */
  readonly sizeBytes: number;
}

export interface UnpackOptions {
  /** An absolute path of a directory that there is. */
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

/** For who unpacks on behalf of others. */
export interface MeteredUnpackOptions extends UnpackOptions {
  /** Told how many bytes of memory the archive holds, whenever that changes; what it throws ends the unpacking. */
  readonly onHeld?: ((bytes: number) => void) | undefined;
}

/**
 * Unpacks a tar archive, or a gzip of one, into a directory of a running sandbox, as the bytes come. All of
 * it, or nothing when it is refused, does not end, finds no room or is aborted.
 *
 * A process of the sandbox does it, as with every other file that is written from outside: its kernel keeps
 * what it knows of the files right, and where links lead to, it is still the sandbox. What reaches that
 * process was checked and written anew here (`TarChecker`).
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
  const { diskMiB } = await connection.info();
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

/** Until all is written, or nobody reads it any more. */
async function feed(
  pieces: AsyncIterable<Uint8Array>,
  parts: { checker: TarChecker; unpacking: Unpacking; onHeld: (bytes: number) => void },
): Promise<void> {
  const { checker, unpacking, onHeld } = parts;
  for await (const piece of pieces) {
    // Whoever gives all at once does not have all of it looked at at once.
    for (let at = 0; at < piece.length; at += limits.unpackPieceBytes) {
      const passed = checker.push(piece.subarray(at, at + limits.unpackPieceBytes));
      // A header may have become many: what is written waits until the sandbox takes it.
      onHeld(checker.heldBytes + passed.length);
      if (!(await unpacking.write(passed))) return;
    }
  }
  await unpacking.write(checker.end());
}
