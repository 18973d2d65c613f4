import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addRequest, drainRequest, WatchFrames } from '../../bridge-server/watch/watch-frames.ts';
import { openWatchLab, Watched, type WatchLab } from './test/watch-lab.ts';

// A busy machine answers late; what that means is tested with WatchedFolder.
vi.mock('../../protocol/limits.ts', async (original) => {
  const { limits } = await original<typeof import('../../protocol/limits.ts')>();
  return { limits: { ...limits, hostWatchDrainMs: 10_000 } };
});

let lab: WatchLab;
beforeAll(() => {
  lab = openWatchLab();
});
afterAll(() => lab?.remove());

const notRoot = process.geteuid?.() === 0 ? undefined : 'needs root, to watch a file system';

const noNamespace =
  spawnSync('unshare', ['--user', '--map-root-user', 'true']).status === 0
    ? undefined
    : 'no namespaces of users';

const kinds = [
  { by: 'fanotify', lack: notRoot, program: () => lab.program },
  { by: 'inotify', lack: undefined, program: () => lab.unprivileged },
] as const;

for (const { by, lack, program } of kinds) {
  describe.skipIf(lack)(`R-3 a watcher with ${by}${lack ? ` (not here: ${lack})` : ''}`, () => {
    const open = async (folder: string) => {
      const watcher = lab.open(program());
      const watched = new Watched(watcher, folder);
      await watched.stateIs(by);
      return {
        watched,
        watcher,
        [Symbol.asyncDispose]: () => watcher[Symbol.asyncDispose](),
      };
    };

    test('tells of everything that changes files, deep in the folder, and of directories that are new', async () => {
      const folder = lab.makeFolder();
      mkdirSync(join(folder, 'a/b'), { recursive: true });
      const file = join(folder, 'a/b/file');
      await using opened = await open(folder);
      const { watched } = opened;
      const steps: [string, () => void][] = [
        ['a file is made', () => writeFileSync(file, '1')],
        ['it is written', () => writeFileSync(file, '22')],
        ['its mode changes', () => chmodSync(file, 0o600)],
        ['it is renamed', () => renameSync(file, join(folder, 'a/moved'))],
        ['a link', () => symlinkSync('nowhere', file)],
        ['it goes', () => unlinkSync(file)],
        [
          'a directory is made with others in it',
          () => mkdirSync(join(folder, 'c/d/e'), { recursive: true }),
        ],
        ['a file in it', () => writeFileSync(join(folder, 'c/d/e/file'), '1')],
        ['a directory is moved', () => renameSync(join(folder, 'c/d'), join(folder, 'a/d'))],
        ['a file where it is now', () => writeFileSync(join(folder, 'a/d/e/file'), '2')],
        ['a directory is deleted', () => rmSync(join(folder, 'a'), { recursive: true })],
      ];
      for (const [what, change] of steps) {
        await watched.watch.drain();
        change();
        expect(await watched.watch.drain(), what).toBe('changed');
        // Directories that came are watched by now, and what the loop does next is told of again.
        expect(watched.told, what).toEqual([]);
      }
      writeFileSync(join(folder, 'last'), '');
      await watched.changed();
    });

    test('tells of a folder what happens in it, and nothing of what happens beside it', async () => {
      const [mine, other] = [lab.makeFolder(), lab.makeFolder()];
      await using opened = await open(mine);
      using beside = new Watched(opened.watcher, other);
      await beside.stateIs(by);
      writeFileSync(join(other, 'x'), 'some');
      writeFileSync(`${mine}-beside`, 'its path begins as the folder’s');
      await beside.changed();
      expect(await opened.watched.watch.drain()).toBe('unchanged');
      expect(opened.watched.told).toEqual([]);
    });

    test('tells nothing of directories that are to be ignored, nor of what is in them', async () => {
      const folder = lab.makeFolder();
      mkdirSync(join(folder, 'home/cache/deep'), { recursive: true });
      await using watcher = lab.open(program());
      using watched = new Watched(watcher, folder, ['/var/log', '/home/cache']);
      await watched.stateIs(by);
      writeFileSync(join(folder, 'home/cache/x'), 'some');
      writeFileSync(join(folder, 'home/cache/deep/x'), 'some');
      mkdirSync(join(folder, 'home/cache/more'));
      expect(await watched.watch.drain()).toBe('unchanged');
      mkdirSync(join(folder, 'var/log'), { recursive: true });
      expect(await watched.watch.drain()).toBe('changed');
      writeFileSync(join(folder, 'var/log/x'), 'some');
      expect(await watched.watch.drain()).toBe('unchanged');
      mkdirSync(join(folder, 'home/cache-2'));
      expect(await watched.watch.drain()).toBe('changed');
      writeFileSync(join(folder, 'home/cache-2/x'), 'its path begins alike');
      expect(await watched.watch.drain()).toBe('changed');
    });

    test('tells of a directory that was moved out of an ignored one, and no more of one that was moved into it', async () => {
      const folder = lab.makeFolder();
      mkdirSync(join(folder, 'cache/out/deep'), { recursive: true });
      mkdirSync(join(folder, 'in/deep'), { recursive: true });
      mkdirSync(join(folder, 'project/cache'), { recursive: true });
      await using watcher = lab.open(program());
      using watched = new Watched(watcher, folder, ['/cache', '/project/cache', '/other/cache']);
      await watched.stateIs(by);
      const write = async (path: string) => {
        writeFileSync(join(folder, path, 'file'), path);
        return await watched.watch.drain();
      };
      expect(await write('cache/out/deep')).toBe('unchanged');
      expect(await write('in/deep')).toBe('changed');
      renameSync(join(folder, 'cache/out'), join(folder, 'out'));
      renameSync(join(folder, 'in'), join(folder, 'cache/in'));
      await watched.watch.drain();
      expect(await write('out/deep')).toBe('changed');
      expect(await write('cache/in/deep')).toBe('unchanged');
      // What is ignored in a directory is so by its path: elsewhere it is watched, and back again not.
      expect(await write('project/cache')).toBe('unchanged');
      renameSync(join(folder, 'project'), join(folder, 'moved'));
      await watched.watch.drain();
      expect(await write('moved/cache')).toBe('changed');
      renameSync(join(folder, 'moved'), join(folder, 'other'));
      await watched.watch.drain();
      expect(await write('other/cache')).toBe('unchanged');
    });

    test('a reader is no change, and what is drained is not told again', async () => {
      const folder = lab.makeFolder();
      writeFileSync(join(folder, 'x'), 'some');
      await using opened = await open(folder);
      const { watch } = opened.watched;
      closeSync(openSync(join(folder, 'x'), 'r'));
      expect(await watch.drain()).toBe('unchanged');
      writeFileSync(join(folder, 'x'), 'more');
      expect(await Promise.all([watch.drain(), watch.drain()])).toEqual(['changed', 'unchanged']);
      expect(opened.watched.told).toEqual([]);
    });

    test('tells of a folder no more once it is let go of, which does not keep it', async () => {
      const folder = lab.makeFolder();
      await using opened = await open(folder);
      using other = new Watched(opened.watcher, lab.makeFolder());
      await other.stateIs(by);
      opened.watched[Symbol.dispose]();
      writeFileSync(join(folder, 'x'), 'some');
      expect(await other.watch.drain()).toBe('unchanged');
      expect(opened.watched.told).toEqual([]);
      rmSync(folder, { recursive: true });
    });

    test('many changes are told of a few times', async () => {
      const folder = lab.makeFolder();
      await using opened = await open(folder);
      const file = openSync(join(folder, 'x'), 'w');
      for (let round = 0; round < 20_000; round++) writeSync(file, 'x', round);
      closeSync(file);
      // One that waits for a change is told of it here or by the answer.
      const drained = await opened.watched.watch.drain();
      const { length } = opened.watched.told;
      expect(length + (drained === 'changed' ? 1 : 0)).toBeGreaterThan(0);
      expect(length).toBeLessThan(200);
    });
  });
}

test.skipIf(notRoot)(
  'R-3 H-9 fanotify tells which process of a jail it was, in its own words, and nothing of those of the host',
  async () => {
    const folder = lab.makeFolder();
    await using watcher = lab.open(lab.program);
    using watched = new Watched(watcher, folder);
    await watched.stateIs('fanotify');
    writeFileSync(join(folder, 'x'), 'by the host');
    expect(await watched.changed()).toMatchObject({ pid: process.pid, words: [] });
    // What else the same write has raised.
    await watched.watch.drain();
    watched.told.length = 0;
    // Alive until it is told of: who is gone has no words. The first process of a jail is its init.
    const script = `echo x > ${join(folder, 'x')}; read line`;
    const child = spawn('unshare', ['--pid', '--fork', 'sh', '-c', 'sh -c "$0" a b; exit', script], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const by = await watched.changed();
    child.stdin.end();
    await once(child, 'close');
    expect(by.words).toEqual(['sh', '-c', script, 'a', 'b']);
    expect(by.namespace).toBeGreaterThan(0);
    expect(by.namespace).not.toBe(statSync('/proc/self/ns/pid').ino);
  },
);

describe('R-3 a watcher with inotify', () => {
  test('says how many directories it watches, and gives a folder up that has more than there may be', async () => {
    const folder = lab.makeFolder();
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    await using watcher = lab.open(lab.unprivileged, { watches: 5 });
    using watched = new Watched(watcher, folder);
    await watched.stateIs('inotify');
    expect(watched.watch.state).toMatchObject({ by: 'inotify', watches: 3, limit: 5 });
    expect(watched.watch.state.why).toContain('no fanotify');
    mkdirSync(join(folder, 'c'));
    await watched.watch.drain();
    expect(watched.watch.state).toMatchObject({ watches: 4 });
    mkdirSync(join(folder, 'c/d/e/f'), { recursive: true });
    await watched.stateIs('polling');
    expect(watched.watch.state.why).toContain('more than 5 directories');
    // Others may have what it had.
    using other = new Watched(watcher, lab.makeFolder());
    await other.stateIs('inotify');
  });

  test('gives up the folder with most directories where others need room, and watches it again when there is some', async () => {
    const [large, small] = [lab.makeFolder(), lab.makeFolder()];
    await using watcher = lab.open(lab.unprivileged, { watches: 20 });
    using first = new Watched(watcher, large);
    using second = new Watched(watcher, small);
    await Promise.all([first.stateIs('inotify'), second.stateIs('inotify')]);
    for (let index = 0; index < 18; index++) mkdirSync(join(large, `${index}`));
    await first.stateIs('polling');
    expect(first.watch.state.why).toContain('more than 10 directories');
    mkdirSync(join(small, 'one/two'), { recursive: true });
    expect(await second.watch.drain()).toBe('changed');
    expect(second.watch.state).toMatchObject({ by: 'inotify', watches: 3 });
    for (let index = 0; index < 18; index++) rmdirSync(join(large, `${index}`));
    await first.stateIs('inotify');
    writeFileSync(join(large, 'x'), 'some');
    await first.changed();
  });

  test('gives up the largest of three where all have no more than their part', async () => {
    const folders = [9, 8, 3].map((directories) => {
      const folder = lab.makeFolder();
      for (let index = 1; index < directories; index++) mkdirSync(join(folder, `${index}`));
      return folder;
    });
    await using watcher = lab.open(lab.unprivileged, { watches: 20 });
    const watched = folders.map((folder) => new Watched(watcher, folder));
    await Promise.all(watched.map((each) => each.stateIs('inotify')));
    mkdirSync(join(folders[2] ?? '', 'more'));
    await watched[0]?.stateIs('polling');
    expect(watched.map(({ watch }) => watch.state.by)).toEqual(['polling', 'inotify', 'inotify']);
    expect(watched[0]?.watch.state.why).toContain('more than 20 directories');
    // The others go, and it has their room.
    watched[1]?.[Symbol.dispose]();
    await watched[0]?.stateIs('inotify');
  });

  test('a directory with many in it that is renamed again and again holds up no other folder', async () => {
    const [busy, other] = [lab.makeFolder(), lab.makeFolder()];
    for (let index = 0; index < 3_000; index++) mkdirSync(join(busy, `x/${index}`), { recursive: true });
    await using watcher = lab.open(lab.unprivileged);
    using first = new Watched(watcher, busy);
    using second = new Watched(watcher, other);
    await Promise.all([first.stateIs('inotify'), second.stateIs('inotify')]);
    for (let round = 0; round < 101; round++)
      renameSync(join(busy, round % 2 ? 'y' : 'x'), join(busy, round % 2 ? 'x' : 'y'));
    expect(await second.watch.drain()).toBe('unchanged');
    expect(first.watch.state).toMatchObject({ by: 'inotify', watches: 3_002 });
    await first.watch.drain();
    writeFileSync(join(busy, 'y/2999/file'), 'some');
    expect(await first.watch.drain()).toBe('changed');
    mkdirSync(join(busy, 'y/7/new'));
    await first.watch.drain();
    writeFileSync(join(busy, 'y/7/new/file'), 'some');
    expect(await first.watch.drain()).toBe('changed');
  });

  test('watches a directory that came in another one before that was moved', async () => {
    const folder = lab.makeFolder();
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    await using watcher = lab.open(lab.unprivileged);
    using watched = new Watched(watcher, folder);
    await watched.stateIs('inotify');
    mkdirSync(join(folder, 'a/b/new'));
    renameSync(join(folder, 'a'), join(folder, 'c'));
    // Another is where it was.
    mkdirSync(join(folder, 'a/b/new'), { recursive: true });
    await watched.watch.drain();
    for (const path of ['c/b/new', 'a/b/new']) {
      writeFileSync(join(folder, path, 'file'), 'some');
      expect(await watched.watch.drain(), path).toBe('changed');
    }
  });

  test('gives a folder up for a while in which more directories come at once than it has time for', async () => {
    const [busy, other] = [lab.makeFolder(), lab.makeFolder()];
    for (let index = 0; index < 9_000; index++)
      mkdirSync(join(busy, `cache/all/${index}`), { recursive: true });
    await using watcher = lab.open(lab.unprivileged);
    using first = new Watched(watcher, busy, ['/cache']);
    using second = new Watched(watcher, other);
    await Promise.all([first.stateIs('inotify'), second.stateIs('inotify')]);
    renameSync(join(busy, 'cache/all'), join(busy, 'all'));
    await first.stateIs('polling');
    expect(first.watch.state.why).toContain('faster than they can be watched');
    expect(second.watch.state.by).toBe('inotify');
    await first.stateIs('inotify');
    expect(first.watch.state).toMatchObject({ watches: 9_002 });
    // Those that are watched already cost nothing when they are moved.
    renameSync(join(busy, 'all'), join(busy, 'moved'));
    await first.watch.drain();
    writeFileSync(join(busy, 'moved/8999/file'), 'some');
    expect(await first.watch.drain()).toBe('changed');
    expect(first.watch.state).toMatchObject({ by: 'inotify', watches: 9_002 });
  });

  test.skipIf(noNamespace)(
    `leaves half of the watches that the user may have to the user’s other programs${noNamespace ? ` (not here: ${noNamespace})` : ''}`,
    async () => {
      const folder = lab.makeFolder();
      const limited = lab.makeProgram(
        `unshare --user --map-root-user sh -c 'echo 40 > /proc/sys/user/max_inotify_watches; exec "$0" "$@"' ${lab.unprivileged} "$@"`,
      );
      await using watcher = lab.open(limited);
      using watched = new Watched(watcher, folder);
      await watched.stateIs('inotify');
      const { limit = 0 } = watched.watch.state;
      expect(limit).toBeGreaterThan(1);
      expect(limit).toBeLessThanOrEqual(20);
    },
  );

  test('H-9 watches nothing outside of the folder that a link in it leads to', async () => {
    const [folder, outside] = [lab.makeFolder(), lab.makeFolder()];
    symlinkSync(outside, join(folder, 'before'));
    await using watcher = lab.open(lab.unprivileged);
    using watched = new Watched(watcher, folder);
    await watched.stateIs('inotify');
    symlinkSync(outside, join(folder, 'after'));
    await watched.watch.drain();
    writeFileSync(join(outside, 'x'), 'some');
    expect(await watched.watch.drain()).toBe('unchanged');
  });
});

describe('R-3 a watcher', () => {
  test('that dies is started again: changes meanwhile are said not to be watched', async () => {
    const folder = lab.makeFolder();
    await using watcher = lab.open(lab.unprivileged);
    using watched = new Watched(watcher, folder);
    await watched.stateIs('inotify');
    process.kill(lab.lastPid(), 'SIGKILL');
    await watched.stateIs('polling');
    expect(watched.watch.state.why).toContain('has ended');
    await watched.stateIs('inotify');
    writeFileSync(join(folder, 'x'), 'some');
    await watched.changed();
  });

  test('that cannot run says so of each folder', async () => {
    await using watcher = lab.open('/none');
    using watched = new Watched(watcher, lab.makeFolder());
    await expect.poll(() => watched.watch.state.why).toContain('ENOENT');
  });

  test('that can watch nothing says why of each folder, also of one that is added later', async () => {
    const nothing = lab.makeProgram(String.raw`printf '\011\000\001\000\000\000\000\000why!'`);
    await using watcher = lab.open(nothing);
    using first = new Watched(watcher, lab.makeFolder());
    await expect.poll(() => first.watch.state).toEqual({ by: 'polling', why: 'why!' });
    using second = new Watched(watcher, lab.makeFolder());
    expect(second.watch.state).toEqual({ by: 'polling', why: 'why!' });
  });

  test('H-8 ends at what no bridge says, and where nothing is asked any more', () => {
    const folder = lab.makeFolder();
    const run = (input: Buffer) => spawnSync(lab.unprivileged, [folder, '10'], { input });
    for (const input of [Buffer.alloc(0), Buffer.from([0xff, 0xff, 1]), Buffer.alloc(100_000, 7)])
      expect(run(input).status).toBe(0);
    const { stdout } = run(
      Buffer.concat([addRequest(7, join(folder, 'none')), drainRequest(7), drainRequest(8)]),
    );
    expect(new WatchFrames().push(stdout)).toMatchObject([
      { type: 'open', source: 'inotify' },
      { type: 'failed', root: 7, why: 'the folder: No such file or directory' },
      { type: 'drained', root: 7 },
      { type: 'drained', root: 8 },
    ]);
  });
});
