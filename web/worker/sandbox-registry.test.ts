import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { MemoryRefs } from '../../tree/history/memory-refs.ts';
import { SandboxRegistry } from './sandbox-registry.ts';

const info: SandboxInfo = {
  id: 'a',
  name: 'first',
  image: 'debian',
  imageDigest: '00',
  memoryMiB: 128,
  diskMiB: 1024,
  runtime: 'v86',
  createdAtMs: 1,
};

describe('the list of sandboxes', () => {
  let refs: MemoryRefs;
  let registry: SandboxRegistry;
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 });
    refs = new MemoryRefs();
    registry = new SandboxRegistry(Promise.resolve(refs));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('has what was added, oldest first, without what cannot be read', async () => {
    await registry.add({ ...info, id: 'b', createdAtMs: 2 });
    await registry.add(info);
    await refs.compareAndSwap('sandbox/odd', undefined, '{');
    expect((await registry.list()).map(({ id }) => id)).toEqual(['a', 'b']);
    await expect(registry.add(info)).rejects.toMatchObject({ code: 'already-exists' });
    await expect(registry.get('odd')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('has those that begin without an image', async () => {
    const shell: SandboxInfo = { ...info, image: '', imageDigest: '', runtime: 'shell' };
    await registry.add(shell);
    expect([await registry.get('a'), await registry.list()]).toEqual([shell, [shell]]);
  });

  test('has the name that a sandbox was given last', async () => {
    await registry.add(info);
    expect(await registry.rename('a', 'second')).toEqual({ ...info, name: 'second' });
    expect(await registry.get('a')).toEqual({ ...info, name: 'second' });
    await expect(registry.rename('b', 'third')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('H-4 H-8 what was begun and never added is found later; it is no sandbox', async () => {
    await registry.begin('a');
    expect(await registry.list()).toEqual([]);
    expect(await registry.unfinished(1_000)).toEqual([]);
    expect(await registry.unfinished(1_001)).toEqual(['a']);
    await registry.forgetUnfinished('a');
    expect(await registry.unfinished(1_001)).toEqual([]);
  });

  test('H-4 a sandbox that was added is never unfinished, even when its page went right then', async () => {
    await registry.begin('a');
    await registry.add(info);
    await refs.compareAndSwap('making/a', undefined, '0');
    expect(await registry.unfinished(2_000)).toEqual([]);
    expect(await refs.list('making/')).toEqual([]);
  });
});
