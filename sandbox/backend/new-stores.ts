import { limits } from '../../protocol/limits.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { SandboxHost } from './sandbox-host.ts';

type Host = Pick<SandboxHost, 'records' | 'openStore' | 'deleteStore'>;

/** Makes the store of a new sandbox and does `work`, which adds its entry; a failure leaves nothing behind. */
export function makeStore<T>(host: Host, id: string, work: (store: SandboxStore) => Promise<T>): Promise<T> {
  return makeSandbox(host, id, async () => {
    const store = await host.openStore(id, { create: true });
    try {
      return await work(store);
    } catch (error) {
      await store.close();
      throw error;
    }
  });
}

/** Does `work`, which makes a store and adds its entry; a failure leaves nothing behind. */
export async function makeSandbox<T>(host: Host, id: string, work: () => Promise<T>): Promise<T> {
  await host.records.begin(id);
  try {
    return await work();
  } catch (error) {
    await host.deleteStore(id);
    await host.records.forgetUnfinished(id);
    throw error;
  }
}

/** Sandboxes whose page went while it made them. One that is still being made is locked, and stays. @throws busy */
export async function clearUnfinished(host: Host): Promise<void> {
  const { records } = host;
  for (const id of await records.unfinished(Date.now() - limits.unfinishedSandboxMs)) {
    await host.deleteStore(id);
    await records.forgetUnfinished(id);
  }
}
