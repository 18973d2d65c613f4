import { afterEach, describe, expect, test } from 'vitest';
import type { HandedMemory } from '../../runtimes/v86/memory-image/handed-memory.ts';
import type { LocalSandbox } from '../../sandbox/local-sandbox.ts';
import type { HandedMachine } from '../../sandbox/memory/handed-machine.ts';
import { LazyStore } from '../../sandbox/memory/lazy-store.ts';
import { PrecopiedFiles, type ReceivedMachine } from '../../sandbox/memory/precopied-files.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { Terminal } from '../conformance/sandbox/terminal.ts';
import { inLongRun } from '../runs-long.ts';
import { openSandbox } from './open-sandbox.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

/** A store that outlives whoever closes it. */
class KeptStore extends MemoryStore {
  override async close(): Promise<void> {}
}

const open: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

async function opened(options: Parameters<typeof openSandbox>[0]): Promise<Sandbox> {
  const sandbox = await openSandbox(options);
  open.push(sandbox);
  return sandbox;
}

/** What another thread gets. */
function handOver(sandbox: Sandbox): ReceivedMachine {
  const { machine, transfer } = (sandbox.connection as LocalSandbox).handOver();
  return new PrecopiedFiles().complete(structuredClone(machine, { transfer: [...transfer] }));
}

/** A sandbox with a shell that knows `x`, a file of a past and one that is open and has no name. */
async function openParent(): Promise<{ parent: Sandbox; shell: Terminal }> {
  const parent = await opened({ keepsRunning: true });
  await parent.run('echo stored > ~/stored');
  await parent.createSnapshot();
  const shell = await Terminal.open(parent);
  await shell.run('x=41; echo then > ~/file; exec 7<> ~/gone; rm ~/gone; echo unnamed >&7');
  return { parent, shell };
}

describe('B-4 X-5 a fork of what runs, handed over', () => {
  test('H-5 goes on from that instant: nothing of what its parent does next is in it, nor the other way round', async () => {
    const { parent, shell } = await openParent();
    const handed = handOver(parent);
    await shell.run('x=1; echo now > ~/file; echo more > ~/later');
    const store = new KeptStore();
    const fork = await opened({
      handed,
      keepsRunning: true,
      store: await LazyStore.open(handed.objects, made(store)),
    });
    const same = await Terminal.open(fork, { shown: /x=41;/ });
    expect(await same.run('echo $((x + 1)) $(cat ~/file ~/stored) $(ls ~)')).toContain(
      '42 then stored file stored',
    );
    expect(await same.run('cat /proc/self/fd/7')).toContain('unnamed');
    await same.run('x=7; echo mine > ~/file');
    expect(await shell.run('echo $((x + 1)) $(cat ~/file)')).toContain('2 now');
    const ids = await Promise.all(
      [parent, fork].map(async (one) => (await one.run('cat /etc/machine-id')).stdout),
    );
    expect(new Set(ids).size).toBe(2);
  });

  longTest(
    'S-3 has the shells of its parent, which go on from their state in a bash of its own',
    async () => {
      const parent = await opened({ keepsRunning: true });
      const shell = await parent.shell({ cwd: '/tmp' });
      await shell.run('A=1; say() { echo "said $1 $A $PWD"; }');
      const handed = handOver(parent);
      await shell.run('A=2; cd /');
      const store = await LazyStore.open(handed.objects, made(new KeptStore()));
      const fork = await opened({ handed, keepsRunning: true, store });
      expect(await fork.shells()).toMatchObject([{ id: shell.id, cwd: '/tmp', user: 'user' }]);
      const same = await fork.shell({ id: shell.id });
      expect((await same.run('say it; pgrep -cf -- "--norc -s"')).stdout).toBe('said it 1 /tmp\n1\n');
      expect((await shell.run('say it')).stdout).toBe('said it 2 /\n');
    },
  );

  test('H-5 gets only what differs from what went ahead, and is the same machine with the same files', async () => {
    const { parent, shell } = await openParent();
    const connection = parent.connection as LocalSandbox;
    const ahead: HandedMachine[] = [];
    connection.lead({
      isFree: true,
      send: (machine, transfer) => ahead.push(structuredClone(machine, { transfer: [...transfer] })),
    });
    expect(ahead).toHaveLength(1);
    await shell.run('x=42; echo again > ~/file');
    // It follows what is stored.
    await expect.poll(() => ahead.length, { timeout: 60_000 }).toBeGreaterThan(1);
    const { machine, transfer } = connection.handOver();
    const handed = structuredClone(machine, { transfer: [...transfer] });
    const brought = ({ objects }: HandedMachine) => objects.filter(({ bytes }) => bytes) as StoredObject[];
    const before = ahead.flatMap(brought);
    const known = new Set(before.map(({ id }) => id));
    expect(brought(handed).filter(({ id }) => known.has(id))).toEqual([]);
    expect(handed.objects.some(({ id }) => known.has(id))).toBe(true);
    await shell.run('x=1; echo now > ~/file');
    await expect(openSandbox({ handed })).rejects.toMatchObject({ code: 'corrupt-object' });
    const fork = await opened({
      ...{ handed, ahead, keepsRunning: true },
      store: await LazyStore.open([...before, ...brought(handed)], made(new KeptStore())),
    });
    const same = await Terminal.open(fork, { shown: /x=42;/ });
    expect(await same.run('echo $x $(cat ~/file ~/stored); cat /proc/self/fd/7')).toMatch(
      /42 again stored\s+unnamed/,
    );
  });

  longTest(
    'H-4 H-6 H-7 outlives its parent, says what it holds, and is there again after a reload',
    async () => {
      const { parent } = await openParent();
      const handed = handOver(parent);
      await parent.close();
      const store = new KeptStore();
      const fork = await opened({
        handed,
        keepsRunning: true,
        store: await LazyStore.open(handed.objects, made(store)),
      });
      expect(store.refs('')).toEqual([]);
      const [first] = (await fork.connection.history.get()).snapshots;
      expect(first).toMatchObject({
        cause: { type: 'fork', sandbox: handed.info.id },
        coverage: {
          memory: { captured: true, renewed: 'clock, random numbers, machine id' },
          processes: { captured: true },
        },
      });
      expect(store.ref('head')).toBe(first?.id);
      const shell = await Terminal.open(fork, { shown: /x=41;/ });
      await shell.run('x=$((x + 1)); echo forked >> ~/file');
      await fork.close();
      const again = await opened({ keepsRunning: true, store });
      const same = await Terminal.open(again, { shown: /x=41;/ });
      expect(await same.run('echo $x $(cat ~/file)')).toContain('42 then forked');
    },
  );

  test('H-10 a machine of another image, or one that was cut off, is refused', async () => {
    const { parent } = await openParent();
    const other = (change: (memory: HandedMemory) => Partial<HandedMemory>): ReceivedMachine => {
      const handed = handOver(parent);
      const memory = handed.memory as HandedMemory;
      return { ...handed, memory: { ...memory, ...change(memory) } };
    };
    const image = other(({ origin }) => ({ origin: { ...origin, image: '0'.repeat(64) } }));
    const short = other(({ contents }) => ({ contents: contents.slice(4_096) }));
    for (const [handed, code] of [
      [image, 'version-mismatch'],
      [short, 'corrupt-object'],
    ] as const) {
      const store = await LazyStore.open(handed.objects, made(new KeptStore()));
      await expect(openSandbox({ handed, store })).rejects.toMatchObject({ code });
    }
  });
});

function made(store: MemoryStore): Parameters<typeof LazyStore.open>[1] {
  return async (fill) => {
    await fill(store);
    return store;
  };
}
