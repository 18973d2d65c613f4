import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHost } from '../../bridge-server/main/open-host.ts';
import { HostImages } from '../../bridge-server/sandboxes/host-images.ts';
import { openHostStore } from '../../bridge-server/stores/open-host-store.ts';
import { defaultImage, type SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { exportSnapshot } from '../../tree/history/export-snapshot.ts';
import { History } from '../../tree/history/history.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';
import { residues } from './residues.ts';
import { startServing } from './serving.ts';
import { whatJailsLack } from './what-jails-lack.ts';

/** A sample, of which two bridges go on with nothing; `npm run test:long` asks for more. */
const kills = Number(process.env.COPPICE_KILLS ?? 4);
/** The bridge is killed at some time within this, from its start or from when it is under full load. */
const loadMs = 500;
/** Of four bridges, two go on with what ran under the one before, one ends it, and one finds nothing. */
const waits = [60_000, 60_000, 60_000, 0];

/** What the bridge has acknowledged, and so must keep. */
const promised = {
  /** What the file says in each snapshot of the sandbox that is kept. */
  snapshots: new Map<SnapshotId, string>(),
  sandboxes: new Set<string>(),
  deleted: new Set<string>(),
};
let kept = '';
let files: TestFolder;

const lack = await whatJailsLack();

describe.skipIf(lack)(`a bridge under load${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    files = await makeTestFolder(undefined, { layer: 'borrowed' });
    await using host = await openHost(files.options);
    await host.prepare(defaultImage);
  });
  afterAll(() => files?.[Symbol.asyncDispose]());

  test(`H-4 killed ${kills} times at any instant, it loses nothing that it acknowledged and leaves nothing behind`, async () => {
    let continued = 0;
    for (let round = 0; round < kills; round++) {
      await using bridge = await startServing({ ...files.options, reattachMs: waits[round % 4] });
      await using backend = await connect(bridge);
      expect(await residues(files.options.folder, { backend, bridge })).toEqual([]);
      if (bridge.running.length > 0) continued++;
      expect(await brokenPromises(backend)).toEqual([]);
      const kept = Promise.withResolvers<void>();
      const loads = [
        keepFiles(backend, { round, onKept: kept.resolve }),
        comeAndGo(backend),
        writeWithoutEnd(backend),
      ];
      const isTime = async () => {
        if (round % 2 === 1) await kept.promise;
        await delay(Math.random() * loadMs);
      };
      // A load that goes wrong before it is time fails the test.
      await Promise.race([isTime(), ...loads]);
      await bridge.kill();
      // Or it would try for a while to go on where it was.
      await backend[Symbol.asyncDispose]();
      await Promise.all(loads);
    }
    await endAll();
    expect(promised.snapshots.size).toBeGreaterThanOrEqual(Math.floor(kills / 2));
    expect(continued).toBeGreaterThanOrEqual(Math.floor(kills / 4));
    expect(await damagedSnapshots()).toEqual([]);
  }, 3_600_000);
});

/** Ends what the last bridge has left, and is killed as well. */
async function endAll(): Promise<void> {
  await using bridge = await startServing(files.options);
  await using backend = await connect(bridge);
  expect(bridge.running).toEqual([]);
  expect(await residues(files.options.folder, { backend, bridge })).toEqual([]);
  await bridge.kill();
}

/** Does `work` over and over until the bridge is gone. */
async function untilLost(work: () => Promise<void>): Promise<void> {
  try {
    for (;;) await work();
  } catch (error) {
    expect(error).toMatchObject({ code: 'connection-lost' });
  }
}

/** Writes a file and takes a snapshot of it, in one sandbox that all rounds go on with. */
async function keepFiles(
  backend: SandboxBackend,
  { round, onKept }: { round: number; onKept: () => void },
): Promise<void> {
  let n = 0;
  let sandbox: Sandbox | undefined;
  await untilLost(async () => {
    if (!sandbox) {
      sandbox = kept ? await Sandbox.open(kept, { backend }) : await Sandbox.create({ backend });
      kept = sandbox.id;
      promised.sandboxes.add(sandbox.id);
    }
    const text = `round ${round}, file ${++n}`;
    await sandbox.files.write('/home/user/note', text);
    const { id } = await sandbox.createSnapshot({ label: text });
    promised.snapshots.set(id, text);
    onKept();
  });
}

/** Makes sandboxes and deletes them. */
async function comeAndGo(backend: SandboxBackend): Promise<void> {
  await untilLost(async () => {
    const sandbox = await Sandbox.create({ backend });
    promised.sandboxes.add(sandbox.id);
    await sandbox.run('head -c 100000 /dev/urandom > ~/noise');
    await sandbox.close();
    // From now on either is right.
    promised.sandboxes.delete(sandbox.id);
    await backend.delete({ id: sandbox.id });
    promised.deleted.add(sandbox.id);
  });
}

/** A command that writes for ever, in a sandbox of its own: what it does is captured meanwhile. */
async function writeWithoutEnd(backend: SandboxBackend): Promise<void> {
  await untilLost(async () => {
    const sandbox = await Sandbox.create({ backend, name: 'busy' });
    promised.sandboxes.add(sandbox.id);
    await sandbox.run('n=0; while :; do n=$((n+1)); echo $n > ~/file-$((n%100)); done');
  });
}

/** What of `promised` is not so. */
async function brokenPromises(backend: SandboxBackend): Promise<string[]> {
  const ids = new Set((await backend.list()).map(({ id }) => id));
  const broken = [
    ...[...promised.sandboxes].filter((id) => !ids.has(id)).map((id) => `sandbox ${id} is lost`),
    ...[...promised.deleted].filter((id) => ids.has(id)).map((id) => `sandbox ${id} is back`),
  ];
  if (!kept) return broken;
  const sandbox = await Sandbox.open(kept, { backend });
  const there = new Set((await sandbox.history.log()).map(({ id }) => id));
  for (const [id, text] of promised.snapshots) if (!there.has(id)) broken.push(`snapshot ${text} is lost`);
  const last = [...promised.snapshots].at(-1);
  if (last) {
    const [id, text] = last;
    const found = await sandbox.files.read('/home/user/note', { at: id });
    if (found !== text) broken.push(`snapshot ${text} says ${found}`);
  }
  await sandbox.close();
  return broken;
}

/** Every snapshot of every sandbox that lacks an object, or has one that is not what its id says. */
async function damagedSnapshots(): Promise<string[]> {
  const { source } = await new HostImages(join(files.options.folder, 'images')).load({ name: defaultImage });
  const damaged: string[] = [];
  const stores = join(files.options.folder, 'sandboxes');
  for (const sandbox of await readdir(stores)) {
    const store = await openHostStore(stores, sandbox);
    const history = History.open(store, { isElsewhere: (id) => source.has(id) });
    for (const { id } of history.list()) {
      const isWhole = readAll(exportSnapshot(store, id, { exclude: (object) => source.has(object) }));
      await isWhole.catch((error: Error) => damaged.push(`${sandbox}: ${error.message}`));
    }
    await store.close();
  }
  return damaged;
}

async function readAll(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of pieces);
}
