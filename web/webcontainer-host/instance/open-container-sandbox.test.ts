import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { shellDriver } from '../../../runtimes/shell/shell-driver.ts';
import { LocalBackend } from '../../../sandbox/backend/local-backend.ts';
import { MemoryHost } from '../../../sandbox/backend/memory-host.ts';
import type { BridgeConnection } from '../../../sdk/connect.ts';
import { historyMethods } from '../history/history-methods.ts';
import { readHostSettings } from '../host-settings.ts';
import { hostLimits } from '../limits.ts';
import { openContainerSandbox } from './open-container-sandbox.ts';

/** Keeps when sandboxes end, as a bridge does. */
class ExpiringHost extends MemoryHost {
  readonly canExpire = true;

  constructor() {
    super(shellDriver({ quota: async () => ({ usageBytes: 0, quotaBytes: 0, persisted: false }) }));
    this.records.setExpiry = async (id, expiresAtMs) => {
      const { expiresAtMs: _, ...info } = await this.records.get(id);
      const moved = expiresAtMs === undefined ? info : { ...info, expiresAtMs };
      this.infos.set(id, moved);
      return moved;
    };
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
});
afterEach(() => vi.useRealTimers());

test('C-7 H-8 on a bridge an instance in use has no end, one that is left ends soon, and a fork stays', async () => {
  const backend = new LocalBackend(new ExpiringHost());
  const open = (sandbox?: string) =>
    openContainerSandbox({
      settings: {
        ...{ runtime: 'shell', image: undefined, preview: undefined, network: undefined, sandbox },
        registry: undefined,
        bridge: { url: 'https://bridge.example', token: 'token' },
      },
      embedder: 'https://app.example',
      openTab: () => Promise.reject(new Error('It is on a bridge')),
      connect: async () =>
        Object.assign(backend, {
          [Symbol.asyncDispose]: async () => undefined,
        }) as unknown as BridgeConnection,
    });
  const remainingMs = async (id: string) => {
    const { expiresAtMs } = (await backend.list()).find((info) => info.id === id) ?? {};
    return expiresAtMs === undefined ? undefined : expiresAtMs - Date.now();
  };
  const instance = await open();
  const { id } = instance.sandbox;
  expect(await remainingMs(id)).toBe(hostLimits.sandboxMs);
  await vi.advanceTimersByTimeAsync(3 * hostLimits.sandboxMs);
  expect(await remainingMs(id)).toBe(hostLimits.sandboxMs);
  const fork = String(await historyMethods(instance.sandbox).fork?.(undefined));
  await instance[Symbol.asyncDispose]();
  expect((await backend.list()).map((info) => info.id)).toEqual([fork]);
  expect(await remainingMs(fork)).toBeUndefined();
  const again = await open(fork);
  await vi.advanceTimersByTimeAsync(3 * hostLimits.sandboxMs);
  await again[Symbol.asyncDispose]();
  expect(await remainingMs(fork)).toBeUndefined();
  expect((await backend.list()).map((info) => info.id)).toEqual([fork]);
});

test('C-7 S-8 the page chooses the network of a new sandbox, and hears where there is none', async () => {
  const backend = new LocalBackend(new ExpiringHost());
  const open = async (query: string) =>
    openContainerSandbox({
      settings: readHostSettings(`?client_id=${encodeURIComponent(query)}`),
      embedder: 'https://app.example',
      openTab: async () => backend,
      connect: () => Promise.reject(new Error('It is in the tab')),
    });
  await expect(open('runtime=shell&network=full')).rejects.toMatchObject({ code: 'unsupported' });
  await expect(open('runtime=shell&network=all')).rejects.toMatchObject({ code: 'invalid-argument' });
  await using instance = await open('runtime=shell&network=isolated');
  expect(instance.sandbox.info.runtime).toBe('shell');
});
