import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxEvent } from '../../protocol/sandbox/events.ts';
import { ranCommands } from '../../protocol/sandbox/ran-commands.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { History } from '../../tree/history/history.ts';
import { ContentCache } from '../../tree/live/content-cache.ts';
import { errno } from '../../tree/live/errno.ts';
import { fileMode } from '../../tree/live/file-mode.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { sealTree } from '../../tree/objects/seal-tree.ts';
import { EventLog } from '../event-log.ts';
import { ObjectSource } from '../object-source.ts';
import { Capturer, type CapturerParts } from './capturer.ts';
import { CommandLog } from './command-log.ts';
import { Snapshotter } from './snapshotter.ts';

const noImage = { has: () => false } as unknown as ConstructorParameters<typeof ObjectSource>[1];

describe('the capturer', () => {
  let store: MemoryStore;
  let tree: LiveTree;
  let content: ContentCache;
  let history: History;
  let commands: CommandLog;
  let parts: CapturerParts;
  let capturer: Capturer;
  let events: SandboxEvent[];
  /** What the capturer has told of. */
  let published: ObjectId[];

  beforeEach(() => {
    store = new MemoryStore();
    const source = new ObjectSource(store, noImage);
    content = new ContentCache(source, { budgetBytes: 0 });
    tree = new LiveTree({ content });
    history = History.open(store);
    commands = new CommandLog();
    const log = new EventLog();
    events = [];
    log.subscribe(0, (event) => events.push(event));
    const { sealed } = sealTree(tree.snapshot());
    const snapshotter = new Snapshotter({
      tree,
      history,
      source,
      content,
      sealed,
      base: () => sealed,
      begins: () => undefined,
    });
    published = [];
    const onPublished = () => published.push(snapshotter.treeId);
    parts = {
      ...{ tree, history, snapshotter, commands, events: log },
      onCollected: async () => {},
      onForgotten: async () => {},
      onSealed: () => {},
      onPublished,
    };
    capturer = new Capturer(parts);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  function write(name: string, text: string): number {
    const found = tree.lookup(tree.root, name);
    const ino = found || tree.create(tree.root, name, { mode: fileMode.file | 0o644, uid: 0, gid: 0 });
    expect(tree.write(ino, 0, new TextEncoder().encode(text))).toBe(text.length);
    return ino;
  }

  function failCommits(): { restore: () => void } {
    const spy = vi
      .spyOn(store, 'commit')
      .mockRejectedValue(new SandboxError('storage-full', 'Cannot save: the disk is full'));
    return { restore: () => spy.mockRestore() };
  }

  const eventTypes = () => events.map(({ type }) => type);

  test('H-3 the machine is told of each tree that is stored, of one that was stored before as well', async () => {
    write('a', '1');
    const first = await capturer.capture();
    expect(await capturer.capture()).toEqual(first);
    write('a', '2');
    failCommits();
    await capturer.tryCapture();
    const stored = history.get(first.id).tree;
    expect(published).toEqual([stored, stored]);
  });

  test('B-10 a full store is told once, and its end once, whoever finds it out', async () => {
    write('a', '1');
    const full = failCommits();
    await capturer.tryCapture();
    await capturer.tryCapture();
    expect(capturer.stopped?.code).toBe('storage-full');
    const file = { mode: fileMode.file | 0o644, uid: 0, gid: 0 };
    expect(tree.create(tree.root, 'b', file)).toBe(-errno.ENOSPC);
    await expect(capturer.publish({ type: 'manual', label: '' })).rejects.toMatchObject({
      code: 'storage-full',
    });
    full.restore();
    await capturer.publish({ type: 'manual', label: '' });
    await capturer.tryCapture();
    expect(capturer.stopped).toBeUndefined();
    expect(tree.create(tree.root, 'b', file)).toBeGreaterThan(0);
    expect(eventTypes()).toEqual(['capture-stopped', 'snapshot', 'capture-resumed']);
  });

  test('H-4 B-10 a tree that follows files elsewhere takes more of them while its store is full, and saves them after', async () => {
    const told: string[] = [];
    capturer = new Capturer({ ...parts, onUnsaved: ({ code }) => void told.push(code) });
    write('a', '1');
    const full = failCommits();
    await capturer.tryCapture();
    write('b', 'more than before');
    await capturer.tryCapture();
    expect(told).toEqual(['storage-full', 'storage-full']);
    full.restore();
    await capturer.capture();
    expect(eventTypes()).toEqual(['capture-stopped', 'snapshot', 'capture-resumed']);
  });

  test('R-3 a capture that failed leaves its commands to the next', async () => {
    const stream = {};
    commands.start(stream, 'echo 1 > a');
    write('a', '1');
    commands.end(stream);
    const full = failCommits();
    await capturer.tryCapture();
    full.restore();
    const { cause } = await capturer.capture();
    expect(cause).toMatchObject({ type: 'capture', commands: ['echo 1 > a'] });
  });

  test('X-3 a capture that failed leaves its processes to the next', async () => {
    commands.noteProcess(['make', 'a']);
    write('a', '1');
    const full = failCommits();
    await capturer.tryCapture();
    full.restore();
    expect(ranCommands(await capturer.capture())).toMatchObject([{ command: 'make a', by: 'process' }]);
    write('a', '12');
    expect(ranCommands(await capturer.capture())).toEqual([]);
  });

  test('X-3 a snapshot says how the commands before it were given, how they ended and how long they took', async () => {
    const [stream, other] = [{}, {}];
    commands.start(stream, 'npm test', { argv: ['npm', 'test'] });
    commands.start(other, 'make', { by: 'terminal' });
    write('a', '1');
    const during = await capturer.capture();
    expect(ranCommands(during)).toMatchObject([{ command: 'npm test' }, { command: 'make', by: 'terminal' }]);
    expect(ranCommands(during).map(({ durationMs }) => durationMs)).toEqual([undefined, undefined]);
    commands.end(stream, { exitCode: 1 });
    commands.end(other, { signal: 'SIGKILL' });
    write('a', '12');
    const startedAtMs = expect.any(Number);
    const durationMs = expect.any(Number);
    expect(ranCommands(await capturer.capture())).toEqual([
      { command: 'npm test', argv: ['npm', 'test'], by: 'exec', exitCode: 1, startedAtMs, durationMs },
      { command: 'make', by: 'terminal', signal: 'SIGKILL', startedAtMs, durationMs },
    ]);
    write('a', '123');
    expect(ranCommands(await capturer.capture())).toEqual([]);
  });

  test('X-3 a command that begins with a number keeps it', async () => {
    const [stream, other] = [{}, {}];
    commands.start(stream, '7 args', { argv: ['7', 'args'] });
    commands.end(stream);
    commands.start(other, ' 12 monkeys', { by: 'terminal' });
    commands.end(other);
    write('a', '1');
    const { cause } = await capturer.capture();
    expect(cause).toMatchObject({ type: 'capture', commands: ['7 args', '12 monkeys'] });
    commands.noteProcess(['7', 'args']);
    write('a', '12');
    expect(ranCommands(await capturer.capture())).toMatchObject([{ command: '7 args', by: 'process' }]);
  });

  test('R-3 captures during a command and at its end name the same run, those of its second run another', async () => {
    const [stream, other] = [{}, {}];
    const runsOf = async (text: string): Promise<readonly string[]> => {
      write('a', text);
      const { cause } = await capturer.capture();
      return cause.type === 'capture' ? (cause.runs ?? []) : [];
    };
    commands.start(stream, 'make');
    const during = await runsOf('1');
    commands.end(stream);
    const end = await runsOf('12');
    const after = await runsOf('123');
    commands.start(stream, 'make');
    commands.start(other, 'make');
    const both = await runsOf('1234');
    expect([during.length, end, after, new Set([...during, ...both]).size]).toEqual([1, during, [], 3]);
    // Another log of the same history has others.
    const next = new CommandLog();
    next.start(stream, 'make');
    expect(during).not.toContain(next.take()[0]?.runs[0]?.id);
  });

  describe('of commands that ended before one capture', () => {
    const stream = {};
    beforeEach(async () => {
      commands = new CommandLog(() => tree.snapshot());
      capturer = new Capturer({ ...parts, commands });
      write('before', '');
      await capturer.publish({ type: 'manual', label: '' });
    });
    const run = (command: string, name?: string): void => {
      commands.start(stream, command);
      if (name !== undefined) write(name, command);
      commands.end(stream);
    };
    const changes = () =>
      history
        .list()
        .flatMap(({ cause, changes }) => (cause.type === 'capture' ? [[cause.commands, changes.paths]] : []));

    test('R-3 each has a snapshot of its own with its name and its files, and one that changed none has none', async () => {
      run('echo 1', 'a');
      run('ls');
      run('echo 2', 'b');
      commands.start(stream, 'make');
      write('c', 'half');
      await capturer.capture();
      expect(changes()).toEqual([
        [['echo 1'], ['/a']],
        [['echo 2'], ['/b']],
        [['make'], ['/c']],
      ]);
    });

    test('R-3 H-4 their names and files are in the next capture when one fails, whatever ended meanwhile', async () => {
      run('echo 1', 'a');
      run('echo 2', 'b');
      const commit = vi.spyOn(store, 'commit').mockImplementationOnce(async () => {
        run('echo 3', 'c');
        run('echo 4', 'd');
        throw new SandboxError('storage-full', 'Cannot save: the disk is full');
      });
      await capturer.tryCapture();
      expect(commit).toHaveBeenCalledOnce();
      await capturer.capture();
      expect(changes()).toEqual([
        [['echo 1'], ['/a']],
        [
          ['echo 2', 'echo 3'],
          ['/b', '/c'],
        ],
        [['echo 4'], ['/d']],
      ]);
    });

    test('R-3 as many as there are, their number is bounded, and a collection of garbage joins them', async () => {
      for (let count = 0; count < 100; count++) run(`echo ${count}`, `f${count}`);
      await capturer.capture();
      expect(changes()).toHaveLength(limits.causeCommands + 1);
      run('echo 1', 'a');
      run('echo 2', 'b');
      await capturer.collect();
      await capturer.capture();
      expect(changes().at(-1)).toEqual([
        ['echo 1', 'echo 2'],
        ['/a', '/b'],
      ]);
    });

    test('R-3 where the files are asked of a machine, one snapshot names them all', async () => {
      commands = new CommandLog();
      capturer = new Capturer({ ...parts, commands });
      run('echo 1', 'a');
      run('echo 2', 'b');
      await capturer.capture();
      expect(changes()).toEqual([
        [
          ['echo 1', 'echo 2'],
          ['/a', '/b'],
        ],
      ]);
    });
  });

  test('R-3 files of editors, directories that programs make for themselves and times of directories are no snapshot of their own, but in the next', async () => {
    const directory = { mode: fileMode.directory | 0o755, uid: 0, gid: 0 };
    write('notes', '1');
    await capturer.capture();
    const mine = () => capturer.capture({ leavesPassing: true });
    const paths = () => history.list().map(({ changes }) => changes.paths);
    const before = paths();
    const config = tree.create(tree.root, '.config', directory);
    tree.create(config, 'procps', directory);
    write('.notes.swp', 'draft');
    write('clone', '');
    tree.unlink(tree.root, 'clone');
    const { id } = await mine();
    write('.notes.swp', 'longer draft');
    expect((await mine()).id).toBe(id);
    expect(paths()).toEqual(before);
    write('notes', '12');
    await mine();
    expect(paths().at(-1)).toEqual(['/.config', '/.config/procps', '/.notes.swp', '/notes']);
    // It would be in all later ones.
    tree.unlink(tree.root, '.notes.swp');
    await mine();
    expect(paths().at(-1)).toEqual(['/.notes.swp']);
    // Whoever goes back, or closes, has all of it saved.
    write('.notes.swp', 'draft');
    await mine();
    await capturer.capture();
    expect(paths().at(-1)).toEqual(['/.notes.swp']);
    // What a person makes is a change.
    tree.create(tree.root, 'project', directory);
    await mine();
    expect(paths().at(-1)).toEqual(['/project']);
  });

  test('H-4 a snapshot stands when the history cannot be thinned out after it', async () => {
    vi.spyOn(console, 'info').mockReturnValue(undefined);
    for (let count = 0; count < limits.retentionEvery; count++) {
      write('a', String(count));
      await capturer.capture();
    }
    vi.spyOn(history, 'retain').mockRejectedValue(new SandboxError('storage-full', 'no room'));
    await expect(capturer.thinOut()).resolves.toBeUndefined();
    expect(history.list()).toHaveLength(limits.retentionEvery);
  });

  test('R-10 what collections of garbage copy is paid for by what captures wrote, and garbage stays bounded', async () => {
    let nowMs = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => nowMs);
    const bytes = { freed: 0, copied: 0 };
    const sweep = store.sweep.bind(store);
    vi.spyOn(store, 'sweep').mockImplementation(async (live) => {
      const freed = await sweep(live);
      bytes.freed += freed;
      bytes.copied += store.sizeBytes;
      return freed;
    });
    for (let count = 0; count < 1_000; count++) {
      nowMs += 600_000;
      write('a', String(count));
      await capturer.capture();
      await capturer.thinOut();
    }
    expect(bytes.freed).toBeGreaterThan(0);
    expect(bytes.copied).toBeLessThan(2 * (store.sizeBytes + bytes.freed));
    const before = store.sizeBytes;
    await capturer.collect();
    expect(before).toBeLessThan(3 * store.sizeBytes);
  });

  test('R-10 a long history is looked through the less often', async () => {
    const retain = vi.spyOn(history, 'retain');
    vi.spyOn(history, 'size', 'get').mockReturnValue(10_000);
    for (let count = 0; count < 320; count++) {
      write('a', String(count));
      await capturer.capture();
      await capturer.thinOut();
    }
    expect(retain).toHaveBeenCalledOnce();
  });

  test('H-4 gc keeps what a removed file that is still open reads from', async () => {
    const ino = write('a', 'still read');
    const first = await capturer.capture();
    tree.retain(ino);
    tree.unlink(tree.root, 'a');
    write('b', 'other');
    await capturer.capture();
    await history.forget([first.id]);
    await capturer.collect();
    content.load({ epoch: 0, pages: undefined, owned: 0, id: undefined, used: false });
    const into = new Uint8Array(10);
    expect(tree.read(ino, 0, into)).toBe(10);
    expect(new TextDecoder().decode(into)).toBe('still read');
    const id = tree.inode(ino)?.extents?.get(0)?.id ?? '';
    expect(store.readSync(id as typeof first.tree)).toBeDefined();
  });
});
