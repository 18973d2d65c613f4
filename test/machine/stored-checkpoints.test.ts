import { afterEach, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../../protocol/checkpoint.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { decodeCheckpoint } from '../../tree/history/checkpoint-codec.ts';
import { checkpointPrefix } from '../../tree/history/history-refs.ts';
import { decodeMemoryHead } from '../../tree/history/memory-head.ts';
import { decodeSnapshot } from '../../tree/history/snapshot-codec.ts';
import { Terminal } from '../conformance/sandbox/terminal.ts';
import { inLongRun } from '../runs-long.ts';
import { KeptStore } from './kept-store.ts';
import { openSandbox } from './open-sandbox.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

const open: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

async function openKept(store: KeptStore): Promise<Sandbox> {
  const sandbox = await openSandbox({ store, keepsRunning: true });
  open.push(sandbox);
  return sandbox;
}

/** The checkpoint of the last command like this, once it is stored. */
async function storedCheckpoint(
  { sandbox, store }: { sandbox: Sandbox; store: KeptStore },
  command: RegExp,
): Promise<Checkpoint> {
  let found: Checkpoint | undefined;
  const look = async () => {
    const { checkpoints } = await sandbox.checkpoints.list();
    found = checkpoints.findLast(({ cause }) => cause.type === 'command' && command.test(cause.command));
    return found && store.ref(checkpointPrefix + found.id);
  };
  await expect.poll(look, { timeout: 60_000 }).toBeDefined();
  return found as Checkpoint;
}

/** What the memory of a checkpoint is stored as. */
function memoryOf(
  store: KeptStore,
  { id }: Checkpoint,
): { record: ObjectId; memory: ObjectId; bundles: readonly ObjectId[] } {
  const read = (object: string | undefined) => store.readSync(object as ObjectId) ?? new Uint8Array();
  const { record } = decodeCheckpoint(read(store.ref(checkpointPrefix + id)));
  const { memory } = decodeSnapshot(read(record));
  return { record, memory: memory as ObjectId, ...decodeMemoryHead(read(memory)) };
}

describe('B-4 checkpoints in the store', () => {
  test('H-5 a checkpoint of before a reload has its screen, and what ran in it goes on with the files of then', async () => {
    const store = new KeptStore();
    const before = await openKept(store);
    const python = await Terminal.open(before);
    await python.type('python3\n');
    await python.shows(/>>> $/);
    await python.type('x = 41\n');
    await python.shows(/x = 41\r\n>>> $/);
    await before.run('echo then > ~/file');
    const then = await storedCheckpoint({ sandbox: before, store }, /echo then/);
    await python.type('x = 0\n');
    await python.shows(/x = 0\r\n>>> $/);
    await before.run('echo now > ~/file; touch ~/other');
    await storedCheckpoint({ sandbox: before, store }, /echo now/);
    const pid = python.pid;
    await before.close();

    const after = await openKept(store);
    const again = await Terminal.open(after, { shown: /x = 0\r\n>>> $/ });
    const known = (await after.checkpoints.list()).checkpoints.find(({ id }) => id === then.id);
    expect(known).toEqual(then);
    const screen = new TextDecoder().decode(
      await after.connection.checkpoints.terminalOutput({ checkpoint: then.id, pid }),
    );
    expect(screen).toMatch(/x = 41\r\n>>> $/);

    const { head, previous } = await after.checkpoints.restore(then);
    expect(head).toBe(then.head);
    expect((await again.exit).reason).toBe('checkout');
    const back = await Terminal.open(after, { shown: /x = 41\r\n>>> $/ });
    await back.type('print(x + 1)\n');
    await back.shows(/\r\n42\r\n>>> $/);
    expect((await after.run('cat ~/file; ls ~')).stdout).toBe('then\nfile\n');

    // What was left is a checkpoint too.
    await after.checkpoints.restore(previous as number);
    const undone = await Terminal.open(after, { shown: /x = 0\r\n>>> $/ });
    await undone.type('print(x + 1)\n');
    await undone.shows(/\r\n1\r\n>>> $/);
    expect((await after.run('cat ~/file; ls ~')).stdout).toBe('now\nfile\nother\n');
  });

  longTest('H-4 a checkpoint that is damaged is refused by name, and the others are gone to', async () => {
    const store = new KeptStore();
    const before = await openKept(store);
    await before.run('echo one > ~/file');
    const one = await storedCheckpoint({ sandbox: before, store }, /echo one/);
    await before.run('echo two > ~/file; head -c 3000000 /dev/urandom | sha256sum; python3 -c "print(1)"');
    const two = await storedCheckpoint({ sandbox: before, store }, /echo two/);
    await before.run('echo three > ~/file');
    const three = await storedCheckpoint({ sandbox: before, store }, /echo three/);
    await before.close();

    const ofOne = memoryOf(store, one);
    const ofTwo = memoryOf(store, two);
    const own = ofTwo.bundles.find((id) => !ofOne.bundles.includes(id)) as ObjectId;
    const lost = new Set([own, ofTwo.memory]);
    const object = store.ref(checkpointPrefix + three.id);
    const after = await openKept(
      await store.copy((found) => (lost.has(found.id) || found.id === object ? undefined : found)),
    );
    const listed = (await after.checkpoints.list()).checkpoints.map(({ id }) => id);
    expect(listed).toContain(one.id);
    expect(listed).not.toContain(three.id);
    await expect(after.checkpoints.restore(two)).rejects.toMatchObject({ code: 'missing-object' });
    await expect(after.checkpoints.restore(three)).rejects.toMatchObject({
      code: 'corrupt-object',
      message: `Cannot read checkpoint ${three.id}: an object of it is missing`,
    });
    expect((await after.run('cat ~/file')).stdout).toBe('three\n');
    await after.checkpoints.restore(one);
    expect((await after.run('cat ~/file')).stdout).toBe('one\n');
  });

  test('checkpoints outlive a collection of garbage', async () => {
    const store = new KeptStore();
    const before = await openKept(store);
    await before.run('echo one > ~/file');
    const one = await storedCheckpoint({ sandbox: before, store }, /echo one/);
    await before.run('echo two > ~/file');
    await before.history.collectGarbage();
    await before.close();
    const after = await openKept(store);
    await after.history.collectGarbage();
    await after.checkpoints.restore(one);
    expect((await after.run('cat ~/file')).stdout).toBe('one\n');
  });
});
