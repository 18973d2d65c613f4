import { isArchitecture } from '../protocol/architecture.ts';
import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import type { SandboxBackend, SnapshotImportOptions } from '../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { SnapshotInfo } from '../protocol/sandbox/history.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import { importOptions } from './import-options.ts';

/** A file begins with a line of JSON: this version, and what the sandbox is to be. An export follows (SN-10). */
const version = 1;
const newLine = 10;

interface Head extends SnapshotImportOptions {
  readonly coppice: typeof version;
}

/** A snapshot as the bytes of one file, without the objects of its image; with its memory, where it has that. */
export async function* writeSnapshotFile(
  connection: SandboxConnection,
  { info, snapshot }: { readonly info: SandboxInfo; readonly snapshot: SnapshotInfo['id'] },
): AsyncGenerator<Uint8Array, void> {
  const { memoryMiB } = info;
  const head: Head = { coppice: version, ...importOptions(info, { memoryMiB }) };
  const snapshotExport = await connection.transfer.openExport({ id: snapshot });
  try {
    yield new TextEncoder().encode(`${JSON.stringify(head)}\n`);
    for (let piece = await snapshotExport.read(); piece; piece = await snapshotExport.read())
      yield piece.bytes;
  } finally {
    await snapshotExport.close();
  }
}

/**
 * Makes a sandbox of such a file, by the name in it unless it is given another; nothing in it is believed, and nothing is left where it fails.
 * @throws invalid-argument for another file, corrupt-object, missing-object, storage-full, asset-unavailable
 */
export async function readSnapshotFile(
  pieces: AsyncIterable<Uint8Array>,
  backend: SandboxBackend,
  name?: string,
): Promise<SandboxInfo> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    const { head, rest } = await readHead(iterator);
    const snapshotImport = await backend.openImport(name === undefined ? head : { ...head, name });
    try {
      for (let piece: Uint8Array | undefined = rest; piece; piece = await next(iterator)) {
        for (let at = 0; at < piece.length; at += limits.archivePieceBytes)
          await snapshotImport.write(piece.slice(at, at + limits.archivePieceBytes));
      }
      return await snapshotImport.finish();
    } finally {
      await snapshotImport.close().catch(() => undefined);
    }
  } finally {
    await iterator.return?.();
  }
}

/** What a file that is all there says the sandbox is called. @throws invalid-argument for another file */
export function readSnapshotName(file: Uint8Array): string {
  const end = file.subarray(0, limits.snapshotFileHeadBytes).indexOf(newLine);
  if (end < 0) throw refusal('it does not begin as one');
  return parseHead(new TextDecoder().decode(file.subarray(0, end))).name;
}

async function readHead(
  iterator: AsyncIterator<Uint8Array>,
): Promise<{ head: SnapshotImportOptions; rest: Uint8Array }> {
  let read = new Uint8Array(0);
  for (let piece = await next(iterator); piece; piece = await next(iterator)) {
    const whole = new Uint8Array(read.length + piece.length);
    whole.set(read);
    whole.set(piece, read.length);
    read = whole;
    const end = read.indexOf(newLine);
    if (end >= 0 && end <= limits.snapshotFileHeadBytes)
      return {
        head: parseHead(new TextDecoder().decode(read.subarray(0, end))),
        rest: read.subarray(end + 1),
      };
    if (read.length > limits.snapshotFileHeadBytes) break;
  }
  throw refusal('it does not begin as one');
}

function parseHead(text: string): SnapshotImportOptions {
  const { coppice, imageDigest, name, memoryMiB, diskMiB, architecture } = parse(text);
  if (coppice !== version) throw refusal('it is of another version, or something else');
  if (typeof name !== 'string') throw refusal('it names no sandbox');
  if (imageDigest !== undefined && typeof imageDigest !== 'string') throw refusal('its image has no digest');
  return {
    ...(imageDigest === undefined ? {} : { imageDigest }),
    name: name.replaceAll(/\p{Cc}+/gu, ' ').slice(0, limits.sandboxNameCharacters),
    ...(isSize(memoryMiB) ? { memoryMiB } : {}),
    ...(isSize(diskMiB) ? { diskMiB } : {}),
    ...(isArchitecture(architecture) ? { architecture } : {}),
  };
}

function parse(text: string): Partial<Record<keyof Head, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw refusal('it does not begin as one');
  }
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

async function next(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  const { done, value } = await iterator.next();
  return done ? undefined : value;
}

function refusal(why: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot read the file of a snapshot: ${why}`);
}
