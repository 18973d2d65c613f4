import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import type { Archive } from '../../../sdk/archive.ts';
import type { OpenSandbox } from './open-sandbox.ts';

/** What GNU tar makes of an archive. */
async function tar(archive: AsyncIterable<Uint8Array>, ...options: string[]): Promise<string> {
  const process = spawn('tar', [...options], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [output] = await Promise.all([
    text(process.stdout),
    pipeline(Readable.from(archive, { objectMode: true }), process.stdin),
  ]);
  return output;
}

/** The archive, noting the size of its largest piece. */
async function* measured(archive: Archive, note: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of archive) {
    note(piece.length);
    yield piece;
  }
}

/** Archives of a sandbox, whatever runs it. */
export function archivesSuite(openSandbox: OpenSandbox): void {
  test('B-10 an export comes in bounded pieces, and is of one moment whatever changes meanwhile', async () => {
    await using sandbox = await openSandbox();
    await sandbox.run('echo first > ~/note; head -c 3000000 /dev/urandom > ~/large; sha256sum ~/large');
    const archive = await sandbox.exportTar();
    const pieces = archive[Symbol.asyncIterator]();
    const first = await pieces.next();
    await sandbox.run('echo second > ~/note; rm ~/large; echo later > ~/later');
    await sandbox.createSnapshot();
    await sandbox.history.gc();
    let largest = first.value?.length ?? 0;
    const rest = async function* (): AsyncGenerator<Uint8Array> {
      if (first.value) yield first.value;
      for await (const piece of { [Symbol.asyncIterator]: () => pieces }) {
        largest = Math.max(largest, piece.length);
        yield piece;
      }
    };
    expect(await tar(rest(), '-xO', 'home/user/note')).toBe('first\n');
    expect(largest).toBe(limits.archivePieceBytes);
    expect(archive.missingCount).toBe(0);
  });

  test('B-10 R-3 an export of a snapshot has what it had; one that is left half way lets go', async () => {
    await using sandbox = await openSandbox();
    await sandbox.files.write('/home/user/note', 'then');
    const { id } = await sandbox.createSnapshot();
    await sandbox.files.write('/home/user/note', 'now');
    const noted: number[] = [];
    const archive = measured(await sandbox.exportTar({ at: id }), (bytes) => noted.push(bytes));
    expect(await tar(archive, '-xO', 'home/user/note')).toBe('then');
    expect(Math.max(...noted)).toBeLessThanOrEqual(limits.archivePieceBytes);

    const left = await sandbox.exportTar();
    for await (const piece of left) if (piece.length > 0) break;
    await expect(left[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'connection-lost' });
  });
}
