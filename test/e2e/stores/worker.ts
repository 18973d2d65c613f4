import type { SandboxError } from '../../../protocol/errors.ts';
import { LogStore } from '../../../tree/log-store/log-store.ts';
import { MemoryStore } from '../../../tree/objects/memory-store.ts';
import type { StoredObject } from '../../../tree/objects/object-store.ts';
import type { SandboxStore } from '../../../tree/objects/sandbox-store.ts';
import { IdbRefs } from '../../../web/stores/idb/idb-refs.ts';
import { IdbStore } from '../../../web/stores/idb/idb-store.ts';
import { openSandboxStore } from '../../../web/stores/open-sandbox-store.ts';
import { OpfsDirectory } from '../../../web/stores/opfs/opfs-directory.ts';
import { measureCommits } from '../../bench/pages/measure-commits.ts';
import { objectStoreSuite } from '../../conformance/object-store-suite.ts';
import { refStoreSuite } from '../../conformance/ref-store-suite.ts';
import { sampleObject } from '../../conformance/sample-objects.ts';
import { sandboxStoreSuite } from '../../conformance/sandbox-store-suite.ts';
import { openingSuite } from './opening-suite.ts';
import { runTests } from './suite-runner.ts';

function openOrCreate(id: string): Promise<SandboxStore> {
  return openSandboxStore(id, { create: true }).catch(() => openSandboxStore(id));
}

/** Every subject has a name of its own, and reopens what carries that name. */
function durable<Store extends AsyncDisposable>(name: string, open: (id: string) => Promise<Store>) {
  const ids = new WeakMap<object, string>();
  let count = 0;
  async function openAs(id: string): Promise<Store> {
    const store = await open(id);
    ids.set(store, id);
    return store;
  }
  return {
    name,
    create: () => openAs(`${name}-${count++}`),
    async reopen(store: AsyncDisposable): Promise<Store> {
      await store[Symbol.asyncDispose]();
      return openAs(ids.get(store) ?? '');
    },
  };
}

const subjects = [
  { name: 'memory', create: async () => new MemoryStore() },
  durable('opfs', async (id) => LogStore.open(await OpfsDirectory.open(id, { create: true }))),
  durable('idb', (id) => IdbStore.open(id)),
  durable('chosen', openOrCreate),
];
for (const subject of subjects) {
  objectStoreSuite(subject);
  sandboxStoreSuite(subject);
}

const names = new WeakMap<object, string>();
async function openRefs(name: string): Promise<IdbRefs> {
  const refs = await IdbRefs.open(name);
  names.set(refs, name);
  return refs;
}
refStoreSuite({
  name: 'idb',
  create: () => openRefs(`refs-${crypto.randomUUID()}`),
  reopen: (refs) => openRefs(names.get(refs) ?? ''),
});
openingSuite();

/** Commits one numbered object after the other and says so each time, until the worker is killed. */
async function commitUntilKilled(id: string): Promise<void> {
  const store = await openOrCreate(id);
  for (let n = Number(store.ref('head') ?? 0) + 1; ; n++) {
    const refs = [{ name: 'head', value: String(n) }];
    await store.commit({ objects: [sampleObject(n, 50_000)], refs });
    self.postMessage(n);
    if (n % 7 === 0) await store.sweep(new Set(lastObjects(n).map((object) => object.id)));
  }
}

/** The number that was committed last; -1 when an object that belongs to it is not there. */
async function readLast(id: string): Promise<number> {
  await using store = await openOrCreate(id);
  const last = Number(store.ref('head') ?? 0);
  return lastObjects(last).every((object) => store.readSync(object.id) !== undefined) ? last : -1;
}

function lastObjects(last: number): StoredObject[] {
  return Array.from({ length: Math.min(3, last) }, (_, n) => sampleObject(last - n, 50_000));
}

/** Puts an object of that size; resolves to the code of the error, or to what is stored. */
async function putLarge({
  backend,
  sizeBytes,
}: {
  backend: 'opfs' | 'idb';
  sizeBytes: number;
}): Promise<string | string[]> {
  await using store = backend === 'idb' ? await IdbStore.open('full') : await openOrCreate('full');
  try {
    const objects = [sampleObject(sizeBytes, sizeBytes)];
    await store.commit({ objects, refs: [{ name: `large/${sizeBytes}`, value: '' }] });
  } catch (error) {
    return (error as SandboxError).code;
  }
  return store.refs('large/').map(([name]) => name);
}

const requests = { runTests, measureCommits, commitUntilKilled, readLast, putLarge } as const;

self.onmessage = async ({ data }: MessageEvent<{ request: keyof typeof requests; argument: never }>) => {
  try {
    self.postMessage(await requests[data.request](data.argument));
  } catch (error) {
    // A worker's `onerror` hears of errors, not of promises that fail.
    setTimeout(() => {
      throw error;
    });
  }
};
