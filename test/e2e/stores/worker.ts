import { MemoryStore } from '../../../tree/objects/memory-store.ts';
import { IdbRefs } from '../../../web/stores/idb/idb-refs.ts';
import { IdbStore } from '../../../web/stores/idb/idb-store.ts';
import { openSandboxStore } from '../../../web/stores/open-sandbox-store.ts';
import { OpfsDirectory } from '../../../web/stores/opfs/opfs-directory.ts';
import { OpfsStore } from '../../../web/stores/opfs/opfs-store.ts';
import { objectStoreSuite } from '../../conformance/object-store-suite.ts';
import { refStoreSuite } from '../../conformance/ref-store-suite.ts';
import { sandboxStoreSuite } from '../../conformance/sandbox-store-suite.ts';
import { measureCommits } from './measure-commits.ts';
import { openingSuite } from './opening-suite.ts';
import { runTests } from './suite-runner.ts';

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
  durable('opfs', async (id) => OpfsStore.open(await OpfsDirectory.open(id, { create: true }))),
  durable('idb', (id) => IdbStore.open(id)),
  durable('chosen', (id) => openSandboxStore(id, { create: true }).catch(() => openSandboxStore(id))),
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

self.onmessage = async ({ data }: MessageEvent<'test' | 'measure'>) => {
  self.postMessage(data === 'test' ? await runTests() : await measureCommits());
};
