import { afterAll, beforeAll, expect } from 'vitest';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { type Member, tarOf } from '../../fixtures/hostile-tars.ts';
import { runsLong } from '../../runs-long.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

const home = '/home/user';

/** States of a sandbox that are merged, pruned and replaced, whatever runs it: no program is needed to see them. */
export function mergesSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('merges of a sandbox', (test) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await openSandbox();
    });
    afterAll(() => sandbox?.close());

    test('X-7 a merge has what both sides changed, by file and by line, and both as its parents', async () => {
      const { files } = sandbox;
      await files.write(`${home}/text`, 'one\ntwo\nthree\nfour\n');
      await files.write(`${home}/gone`, 'here');
      const base = await sandbox.createSnapshot({ label: 'base' });
      await files.write(`${home}/text`, 'one\ntwo\nthree\nFOUR\n');
      await files.write(`${home}/theirs`, 'new', { mode: 0o600 });
      await files.remove(`${home}/gone`);
      const theirs = await sandbox.createSnapshot({ label: 'theirs' });
      await sandbox.checkout(base.id);
      await files.write(`${home}/text`, 'ONE\ntwo\nthree\nfour\n');
      await files.write(`${home}/ours`, 'kept');
      const { previousHead, ...merged } = await sandbox.merge(theirs.id);
      expect(merged).toMatchObject({ outcome: 'merged', base: base.id, settled: [] });
      expect(await files.read(`${home}/text`)).toBe('ONE\ntwo\nthree\nFOUR\n');
      expect(await files.read(`${home}/ours`)).toBe('kept');
      expect(await files.read(`${home}/theirs`)).toBe('new');
      expect((await files.stat(`${home}/theirs`)).mode).toBe(0o600);
      expect(await files.exists(`${home}/gone`)).toBe(false);
      const { snapshots, head } = await sandbox.history.get();
      expect(head).toBe(merged.head);
      expect(snapshots.find(({ id }) => id === head)?.parents).toEqual([previousHead, theirs.id]);
      expect(await sandbox.merge(theirs.id)).toMatchObject({ outcome: 'up-to-date', head });
    });

    test('X-7 a conflict is named and nothing is changed, unless a side is preferred', async () => {
      const { files } = sandbox;
      await files.write(`${home}/one`, 'line\n');
      await files.write(`${home}/two`, 'line\n');
      const base = await sandbox.createSnapshot({ label: 'base' });
      await files.write(`${home}/one`, 'theirs\n');
      await files.remove(`${home}/two`);
      await files.write(`${home}/clean`, 'theirs\n');
      const theirs = await sandbox.createSnapshot({ label: 'theirs' });
      await sandbox.checkout(base.id);
      await files.write(`${home}/one`, 'ours\n');
      await files.write(`${home}/two`, 'ours\n');
      const refusal = await sandbox.merge(theirs.id).catch((error: unknown) => error);
      const conflicts = [
        { path: `${home}/one`, kind: 'content' },
        { path: `${home}/two`, kind: 'deleted-by-them' },
      ];
      expect(refusal).toMatchObject({ code: 'conflict', details: { conflicts, count: 2, base: base.id } });
      expect(await files.read(`${home}/one`)).toBe('ours\n');
      expect(await files.exists(`${home}/clean`)).toBe(false);
      const { settled } = await sandbox.merge(theirs.id, { prefer: 'theirs', label: 'taken' });
      expect(settled).toEqual(conflicts);
      expect(await files.read(`${home}/one`)).toBe('theirs\n');
      expect(await files.exists(`${home}/two`)).toBe(false);
      expect(await files.read(`${home}/clean`)).toBe('theirs\n');
      const [newest] = await sandbox.history.log();
      expect(newest?.cause).toEqual({ type: 'manual', label: 'taken' });
    });

    test('X-7 what only the other side changed is gone to as it is', async () => {
      const base = await sandbox.createSnapshot({ label: 'base' });
      await sandbox.files.write(`${home}/ahead`, 'yes');
      const { id } = await sandbox.createSnapshot({ label: 'ahead' });
      await sandbox.checkout(base.id);
      expect(await sandbox.merge(id)).toMatchObject({ outcome: 'fast-forward', head: id });
      expect(await sandbox.files.read(`${home}/ahead`)).toBe('yes');
    });

    test('R-10 a policy forgets what it does not keep; a dry run only tells it', async () => {
      const made: SnapshotInfo['id'][] = [];
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        await sandbox.files.write(`${home}/step`, name);
        made.push((await sandbox.createSnapshot({ label: name })).id);
      }
      const [, second] = made;
      if (second) await sandbox.history.setTag('kept', second);
      const policy = { last: 2, hourly: 0, daily: 0 };
      const before = await sandbox.history.get();
      const { forgotten } = await sandbox.history.prune({ policy, dryRun: true });
      expect((await sandbox.history.get()).snapshots).toEqual(before.snapshots);
      const pruned = await sandbox.history.prune({ policy });
      expect(pruned.forgotten).toEqual(forgotten);
      const left = (await sandbox.history.get()).snapshots.map(({ id }) => id);
      expect(pruned.kept).toBe(left.length);
      // Between them are captures of the writes.
      expect([0, 1, 2, 4].filter((at) => left.some((id) => id === made[at]))).toEqual([1, 4]);
      await sandbox.history.setRetention(policy);
      expect((await sandbox.history.get()).retention).toEqual(policy);
      await sandbox.history.setRetention(undefined);
      expect((await sandbox.history.get()).retention).toBeUndefined();
    });

    test('S-4 all files are replaced by those of an archive; the way back has what was there', async () => {
      const { files } = sandbox;
      await files.write(`${home}/later`, 'now');
      const archive = smallRoot({
        path: 'home/user/archived',
        content: 'then',
        permissions: 0o640,
        uid: 1000,
        gid: 1000,
      });
      const cut = archive.slice(0, 700);
      await expect(sandbox.restoreTar(each([cut]))).rejects.toMatchObject({ code: 'invalid-argument' });
      expect(await files.read(`${home}/later`)).toBe('now');
      const { head, previousHead } = await sandbox.restoreTar(each([archive]), { label: 'backup' });
      expect(await files.read(`${home}/archived`)).toBe('then');
      expect((await files.stat(`${home}/archived`)).mode).toBe(0o640);
      expect(await files.exists(`${home}/later`)).toBe(false);
      expect(await files.exists('/usr')).toBe(false);
      const [newest] = await sandbox.history.log();
      expect(newest).toMatchObject({
        id: head,
        parents: [previousHead],
        cause: { type: 'import', source: 'backup' },
      });
      await sandbox.checkout(previousHead);
      expect(await files.read(`${home}/later`)).toBe('now');
    });

    if (runsLong) {
      test('S-4 an archive of all files brings all of them back, under the ids that they had', async () => {
        await sandbox.files.write(`${home}/archived`, 'then');
        const before = await sandbox.createSnapshot({ label: 'before' });
        const pieces = await sandbox.exportTar({ at: before.id });
        await sandbox.files.write(`${home}/archived`, 'now');
        await sandbox.restoreTar(pieces);
        expect(await sandbox.diff(before.id, 'HEAD')).toEqual([]);
      });
    }
  });
}

/** What sandboxes that were forked bring together again. */
export function forkMergesSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  const test = tests.alone('merges with forks of a sandbox');
  test('C-2 X-7 what a fork did is merged into what its parent did since', async () => {
    await using origin = await openSandbox();
    await origin.files.write(`${home}/shared`, 'before\n');
    const [fork] = await origin.fork();
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('There is no fork');
    try {
      await fork.files.write(`${home}/first`, 'fork');
      await fork.createSnapshot({ label: 'first' });
      await fork.files.write(`${home}/second`, 'fork');
      await origin.files.write(`${home}/shared`, 'after\n');
      expect(await origin.merge(fork)).toMatchObject({ outcome: 'merged' });
      for (const name of ['first', 'second']) expect(await origin.files.read(`${home}/${name}`)).toBe('fork');
      expect(await origin.files.read(`${home}/shared`)).toBe('after\n');
      expect(await fork.files.read(`${home}/shared`)).toBe('before\n');
    } finally {
      await fork.close();
    }
  });
}

/** An archive of the directories that every root has, and one file: of all files that it has, with no program among them. */
function smallRoot(file: Member): Uint8Array {
  const directories = ['proc', 'sys', 'dev', 'run', 'tmp', 'etc', 'root', 'home', 'home/user'];
  return tarOf(
    ...directories.map((path): Member => ({ type: 'directory', path: `${path}/`, permissions: 0o755 })),
    file,
  );
}

async function* each(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
