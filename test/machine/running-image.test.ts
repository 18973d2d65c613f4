import { afterEach, describe, expect, test } from 'vitest';
import type { SnapshotExport } from '../../protocol/sandbox/transfer.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import { receiveSnapshot } from '../../sandbox/transfer/receive-snapshot.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { continueLive } from '../../web/elements/replay/continue-live.ts';
import { EventWatch } from '../conformance/sandbox/event-watch.ts';
import { Terminal } from '../conformance/sandbox/terminal.ts';
import { openedRecording } from '../fixtures/opened-recording.ts';
import { inLongRun, runsLong } from '../runs-long.ts';
import { damaged } from './damaged-bundle.ts';
import { KeptStore } from './kept-store.ts';
import { machineBackend } from './machine-backend.ts';
import { imageObjects, openSandbox } from './open-sandbox.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

/** How often a terminal that shows line after line is stored and taken up again. */
const reloads = runsLong ? 5 : 2;
/**
 * Of a loop that shows whether a fork goes on: an emulated processor that another loop keeps busy is shared with all that the
 * test does. The test that a machine is stored as it runs has such a loop without it.
 */
const pause = runsLong ? '' : 'sleep 0.05;';

const open: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

async function openKept(store: KeptStore, keepsRunning = true): Promise<Sandbox> {
  const sandbox = await openSandbox({ store, keepsRunning });
  open.push(sandbox);
  return sandbox;
}

describe('B-4 a sandbox whose machine is stored as it runs', () => {
  test('H-5 P-1 a reload finds the terminals with what they showed, what runs in them goes on, and a saved session has both lives', async () => {
    const store = new KeptStore();
    const before = await openKept(store);
    const [python, shell] = [await Terminal.open(before), await Terminal.open(before)];
    await python.type('python3\n');
    await python.shows(/>>> $/);
    await python.type('x = 41\n');
    await python.shows(/x = 41\r\n>>> $/);
    await shell.type('echo in the second; touch ~/file\n');
    await shell.shows(/in the second\r\n.*\$ \S{0,3}$/s);
    await before.close();

    const after = await openKept(store);
    const first = await Terminal.open(after, { shown: /x = 41\r\n>>> $/ });
    const second = await Terminal.open(after);
    await second.shows(/in the second\r\n.*\$ \S{0,3}$/s);
    await first.type('print(x + 1)\n');
    await first.shows(/\r\n42\r\n>>> $/);
    await second.type('ls ~; echo $((6 * 7))\n');
    await second.shows(/file\r\n42\r\n/);
    // A third one is a shell of its own.
    const third = await Terminal.open(after);
    await third.shows(/\$ \S{0,3}$/);
    expect(third.text).not.toContain('in the second');

    const shown = new Map<number, string>();
    const commands: string[] = [];
    for await (const { event } of (await readRecording(after.saveSession())).events()) {
      if (event.type === 'command') commands.push(event.text);
      if (event.type === 'output') shown.set(event.terminal, (shown.get(event.terminal) ?? '') + event.data);
    }
    expect(commands.filter((text) => text.startsWith('echo in') || text.startsWith('ls'))).toEqual([
      'echo in the second; touch ~/file',
      'ls ~; echo $((6 * 7))',
    ]);
    // The first terminal of both is one; the others are those of each life.
    const [one = '', ...others] = [...shown].toSorted(([a], [b]) => a - b).map(([, text]) => text);
    expect(one.split('\x1bc').map((part) => /x = 41/.test(part))).toEqual([true, true]);
    expect(one).toMatch(/\r\n42\r\n>>> $/);
    expect(others.map((text) => [text.includes('in the second\r\n'), text.includes('42\r\n')])).toEqual([
      [true, false],
      [true, true],
      [false, false],
    ]);
  });

  longTest('is stored while it runs, for a page that is gone without a word', async () => {
    const store = new KeptStore();
    const before = await openKept(store);
    await before.run(
      '(n=0; while :; do n=$((n+1)); echo $n > ~/new; mv ~/new ~/count; done) >/dev/null 2>&1 &',
    );
    await expect.poll(() => store.running()?.memory, { timeout: 60_000 }).toBeDefined();
    const seen = Number((await before.run('cat ~/count')).stdout);
    const first = store.running()?.memory;
    await expect.poll(() => store.running()?.memory, { timeout: 60_000 }).not.toBe(first);
    // Nobody closes it.
    const after = await openKept(await store.copy());
    const count = async () => Number((await after.run('cat ~/count')).stdout);
    const then = await count();
    expect(then).toBeGreaterThanOrEqual(Math.min(seen, 1));
    await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(then);
  });

  test('H-5 a terminal in which something runs goes on line by line, whenever it was stored', async () => {
    let store = new KeptStore();
    let sandbox = await openKept(store);
    let terminal = await Terminal.open(sandbox);
    await terminal.type('i=0; while :; do i=$((i+1)); echo $i; [ $((i%20)) != 0 ] || read -t 0.02; done\n');
    const lines = () => [...terminal.text.matchAll(/^(\d+)\r?\n/gm)].map(([, digits]) => Number(digits));
    for (let n = 0; n < reloads; n++) {
      const stored = store.running()?.memory;
      await expect.poll(() => store.running()?.memory, { timeout: 60_000 }).not.toBe(stored);
      const copy = await store.copy();
      await sandbox.close();
      store = copy;
      sandbox = await openKept(store);
      terminal = await Terminal.open(sandbox, { shown: /\d\r\n/ });
      const { length } = lines();
      await expect.poll(() => lines().length, { timeout: 60_000 }).toBeGreaterThan(length + 30);
      const shown = lines();
      expect(shown).toEqual(shown.map((_, at) => (shown[0] ?? 0) + at));
    }
  });

  test('P-3 H-6 H-7 a snapshot with memory says so; going there goes on with it, and so does a recording that holds it', async () => {
    const backend = await machineBackend();
    await using sandbox = await Sandbox.create({ backend });
    const recording = await sandbox.record({ memory: true, gzip: true });
    const file = bytesOf(recording);
    const terminal = await Terminal.open(sandbox);
    await terminal.type('python3\n');
    await terminal.shows(/>>> $/);
    await terminal.type('x = 41\n');
    await terminal.shows(/x = 41\r\n>>> $/);
    const then = await sandbox.createSnapshot({ label: 'then', memory: true });
    expect(then.memory).toBeDefined();
    expect(then.coverage.memory).toEqual({ captured: true, renewed: 'clock, random numbers, machine id' });
    expect(then.coverage.processes).toEqual({ captured: true });
    await terminal.type('x = 0\n');
    await terminal.shows(/x = 0\r\n>>> $/);
    await sandbox.run('touch ~/later');

    await sandbox.checkout(then.id);
    expect((await terminal.exit).reason).toBe('checkout');
    const again = await Terminal.open(sandbox, { shown: /x = 41\r\n>>> $/ });
    await again.type('print(x + 1)\n');
    await again.shows(/\r\n42\r\n>>> $/);
    expect((await sandbox.run('ls ~')).stdout).toBe('');
    await sandbox.history.collectGarbage();
    await sandbox.checkout(then.id);
    expect((await sandbox.run('pgrep -c python3')).stdout).toBe('1\n');

    await recording.stop();
    const opened = await openedRecording(await file);
    const made = await continueLive(opened.connection, {
      point: { header: opened.recording.header, snapshot: then.id, hasMemory: true },
      ...{ backend, runtime: 'v86', signal: AbortSignal.any([]), onProgress: () => undefined },
    });
    await made.connection.close();
    await using live = await Sandbox.open(made.info.id, { backend });
    const continued = await Terminal.open(live, { shown: /x = 41\r\n>>> $/ });
    await continued.type('print(x + 2)\n');
    await continued.shows(/\r\n43\r\n>>> $/);
    const [one, other] = [sandbox, live].map((each) => each.run('cat /etc/machine-id'));
    expect((await one)?.stdout).not.toBe((await other)?.stdout);
  });

  test('whose memory is damaged begins anew with its files, and says why', async () => {
    const store = new KeptStore();
    const before = await openKept(store);
    await before.run('echo kept > ~/file');
    await before.close();
    const memory = store.running()?.memory as ObjectId;
    const after = await openKept(await store.copy((object) => (object.id === memory ? undefined : object)));
    expect((await after.run('cat ~/file')).stdout).toBe('kept\n');
  });

  longTest(
    'of which a page cannot be read when the machine runs already begins anew with its files, and says why',
    async () => {
      const store = new KeptStore();
      const before = await openKept(store);
      await before.run('echo kept > ~/file');
      const python = await Terminal.open(before);
      await python.type(
        "python3 -c \"x = [f'held {n}' for n in range(30_000)]; y = ' '.join(x); input('> ')\"\n",
      );
      await python.shows(/\r> $/);
      await before.close();

      // Nobody looks at those pages before the machine runs, and then soon.
      const after = await openKept(await store.copy((object) => damaged(object, 'held ')));
      const events = await EventWatch.open(after);
      const { error } = await events.next('memory-refused');
      expect(error).toMatchObject({ code: 'corrupt-object' });
      expect((await after.run('cat ~/file; pgrep -c python3')).stdout).toBe('kept\n0\n');
    },
  );

  test('X-8 H-7 forks of a snapshot with memory go on from the same instant, each for itself', async () => {
    const parent = await openKept(new KeptStore(), false);
    await parent.run(
      `(n=0; while :; do n=$((n+1)); echo $n > ~/new; mv ~/new ~/count; ${pause} done) >/dev/null 2>&1 &`,
    );
    const terminal = await Terminal.open(parent);
    await terminal.type('x=41\n');
    await terminal.shows(/x=41\r\n.*\$ \S{0,3}$/s);
    const { id } = await parent.createSnapshot({ memory: true });
    const image = await imageObjects();
    const stores = [new KeptStore(), new KeptStore()];
    for (const store of stores) {
      const snapshotExport = await parent.connection.transfer.openExport({ id });
      await receiveSnapshot(piecesOf(snapshotExport), store, { elsewhere: image });
    }
    await parent.close();
    const machineIds: string[] = [];
    for (const [index, store] of stores.entries()) {
      const fork = await openKept(store, false);
      const shell = await Terminal.open(fork);
      await shell.type(`x=$((x + ${index})); echo is-$x\n`);
      await shell.shows(new RegExp(`is-${41 + index}\r\n`));
      const count = async () => Number((await fork.run('cat ~/count')).stdout);
      const then = await count();
      await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(then);
      machineIds.push((await fork.run('cat /etc/machine-id')).stdout);
      await fork.close();
    }
    expect(new Set(machineIds).size).toBe(2);
  });

  test('H-4 of a snapshot with memory that comes in, every altered byte is refused', async () => {
    const parent = await openKept(new KeptStore(), false);
    const { id } = await parent.createSnapshot({ memory: true });
    const image = await imageObjects();
    const pieces: Uint8Array[] = [];
    for await (const piece of piecesOf(await parent.connection.transfer.openExport({ id })))
      pieces.push(piece);
    for (const at of [0, Math.floor(pieces.length / 2), pieces.length - 1]) {
      const altered = pieces.map((piece) => piece.slice());
      const piece = altered[at] as Uint8Array;
      piece[Math.floor(piece.length / 2)] = ~(piece[Math.floor(piece.length / 2)] ?? 0);
      const store = new KeptStore();
      const taking = receiveSnapshot(streamOf(altered), store, { elsewhere: image });
      await expect(taking).rejects.toThrow();
      expect(store.refs('')).toEqual([]);
    }
  });
});

async function* piecesOf(snapshotExport: SnapshotExport): AsyncGenerator<Uint8Array> {
  for (let piece = await snapshotExport.read(); piece; piece = await snapshotExport.read()) yield piece.bytes;
  await snapshotExport.close();
}

async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
