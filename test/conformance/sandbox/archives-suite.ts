import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import type { Archive } from '../../../sdk/archive.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { tarOf } from '../../fixtures/hostile-tars.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

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
export function archivesSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('archives of a sandbox', (test) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await openSandbox();
    });
    afterAll(() => sandbox?.close());

    test('B-10 an export comes in bounded pieces, and is of one moment whatever changes meanwhile', async () => {
      await sandbox.run('echo first > ~/note; head -c 3000000 /dev/urandom > ~/large; sha256sum ~/large');
      const archive = await sandbox.exportTar();
      const pieces = archive[Symbol.asyncIterator]();
      const first = await pieces.next();
      await sandbox.run('echo second > ~/note; rm ~/large; echo later > ~/later');
      await sandbox.createSnapshot();
      await sandbox.history.collectGarbage();
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

    test('S-4 S-10 an archive is unpacked where it is asked to, in pieces of any size; one that is refused leaves nothing', async () => {
      await sandbox.run('mkdir -p ~/in/src; echo old > ~/in/src/file; echo kept > ~/in/src/other');
      const archive = tarOf(
        { path: 'src/file', content: 'new'.repeat(100_000) },
        { path: 'made/run', content: 'echo ran', permissions: 0o755 },
        { type: 'symlink', path: 'made/link', linkPath: '../src/file' },
      );
      const bytes = gzipSync(archive);
      const pieces = async function* () {
        for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
      };
      const unpacked = await sandbox.importTar(pieces(), { path: '/home/user/in' });
      expect(unpacked).toEqual({ entries: 3, sizeBytes: 300_008 });
      const out = async function* () {
        yield tarOf({ path: 'first' }, { path: '../out' });
      };
      await expect(sandbox.importTar(out(), { path: '/home/user/in' })).rejects.toMatchObject({
        code: 'invalid-argument',
        message: 'Cannot take "../out" of the archive: its path has ".." in it',
      });
      const look =
        'cd ~/in; find . | sort; stat -c "%U %a" src/file made made/run; wc -c < made/link; cat src/other';
      expect((await sandbox.run(look)).stdout).toBe(
        '.\n./made\n./made/link\n./made/run\n./src\n./src/file\n./src/other\n' +
          'user 644\nuser 755\nuser 755\n300000\nkept\n',
      );
    });

    test('B-9 B-10 an export of a directory has what is below it, by bytes, and can be unpacked elsewhere', async () => {
      const made =
        "mkdir ~/from ~/to ~/from/empty && cd ~/from && printf one > $'no-utf8-\\xff\\xfe' && ln $'no-utf8-\\xff\\xfe' again" +
        ' && ln -s nowhere link && mkfifo fifo && printf two > "ü b"';
      expect(await sandbox.run(made)).toMatchObject({ exitCode: 0 });
      const { id } = await sandbox.createSnapshot();
      await sandbox.run('rm -r ~/from');
      const archive = await sandbox.exportTar({ at: id, path: '/home/user/from' });
      await sandbox.importTar(archive, { path: '/home/user/to' });
      const look =
        'cd ~/to; for f in *; do printf "%q %s %s\\n" "$f" "$(stat -c %F "$f")" "$(cat "$f" 2>&-)"; done; stat -c %h again';
      expect((await sandbox.run(`export LC_ALL=C; ${look}`)).stdout).toBe(
        'again regular file one\n' +
          'empty directory \n' +
          'link symbolic link \n' +
          "$'no-utf8-\\377\\376' regular file one\n" +
          "$'\\303\\274 b' regular file two\n2\n",
      );
      for (const path of ['/home/user/from', '/home/user/to/again/x']) {
        await expect(sandbox.exportTar({ path })).rejects.toMatchObject({ code: 'not-found' });
      }
      await expect(sandbox.exportTar({ path: '/home/user/to/again' })).rejects.toMatchObject({
        code: 'invalid-argument',
      });
    });

    test('B-8 B-10 an export of what differs has that alone, with what was moved and all below it', async () => {
      const home = '/home/user';
      const { files } = sandbox;
      await files.makeDirectory(`${home}/a/b`);
      for (const name of ['b/moved', 'kept', 'changed']) await files.write(`${home}/a/${name}`, name);
      const { id: since } = await sandbox.createSnapshot();
      await files.rename(`${home}/a/b`, `${home}/c`);
      await files.write(`${home}/a/changed`, 'otherwise');
      await files.makeDirectory(`${home}/new/deep`);
      await files.write(`${home}/new/deep/file`, 'new');
      const { id: at } = await sandbox.createSnapshot();
      const listed = (await tar(await sandbox.exportTar({ at, since }), '--list')).split('\n');
      expect(listed.filter((path) => path.startsWith('home/user/'))).toEqual([
        'home/user/a/changed',
        'home/user/c/',
        'home/user/c/moved',
        'home/user/new/',
        'home/user/new/deep/',
        'home/user/new/deep/file',
      ]);
      await expect(sandbox.exportTar({ since })).rejects.toMatchObject({ code: 'invalid-argument' });
    });

    test('B-10 R-3 an export of a snapshot has what it had; one that is left half way lets go', async () => {
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
  });
}
