import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { FileDirectory } from '../../bridge-server/stores/file-directory.ts';
import { LazyStore } from '../../sandbox/memory/lazy-store.ts';
import { MemoryRefs } from '../../tree/history/memory-refs.ts';
import { LogStore } from '../../tree/log-store/log-store.ts';
import { storeLimits } from '../../tree/log-store/store-limits.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { objectStoreSuite } from './object-store-suite.ts';
import { refStoreSuite } from './ref-store-suite.ts';
import { sandboxStoreSuite } from './sandbox-store-suite.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-stores-'));
afterAll(() => rmSync(root, { recursive: true }));

const memory = { name: 'memory', create: async () => new MemoryStore() };
objectStoreSuite(memory);
sandboxStoreSuite(memory);
const unmade = {
  name: 'not made yet',
  create: () =>
    LazyStore.open([], async (fill) => {
      const store = new MemoryStore();
      await fill(store);
      return store;
    }),
};
objectStoreSuite(unmade);
sandboxStoreSuite(unmade);
refStoreSuite({ name: 'memory', create: async () => new MemoryRefs() });

const paths = new Map<object, string>();
async function openFiles(path: string): Promise<LogStore> {
  const store = await LogStore.open(new FileDirectory(path));
  paths.set(store, path);
  return store;
}
const files = {
  name: 'files of a host',
  create: () => openFiles(mkdtempSync(join(root, 'files-'))),
  async reopen(store: AsyncDisposable) {
    await store[Symbol.asyncDispose]();
    return openFiles(paths.get(store) ?? '');
  },
};
objectStoreSuite(files);
sandboxStoreSuite(files);

const shared = {
  ...files,
  name: 'files that another store has too',
  async create() {
    await using parent = await openFiles(mkdtempSync(join(root, 'parent-')));
    // Without objects: what the suites put into an empty store is all that is in this one.
    const refs = Array.from({ length: 300 }, (_, n) => ({ name: `ref/${n}`, value: 'x'.repeat(4_000) }));
    await parent.commit({ objects: [], refs });
    expect(parent.sizeBytes).toBeGreaterThan(storeLimits.sharedFileBytes);
    const path = mkdtempSync(join(root, 'shared-'));
    parent.cloneInto(new FileDirectory(path), new Map());
    expect(readdirSync(path)).toHaveLength(2);
    return openFiles(path);
  },
};
objectStoreSuite(shared);
sandboxStoreSuite(shared);
