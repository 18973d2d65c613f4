import { limits } from '../../protocol/limits.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { setDefaultBackend } from '../../sdk/sandbox.ts';
import { Switchboard } from '../transports/switchboard.ts';
import { WorkerBackend } from '../transports/worker-backend.ts';
import type { NeededImage } from '../transports/worker-start.ts';

/**
 * The sandboxes of this origin, each in a machine worker. Resolves once the worker runs that will
 * need `next`: the page's thread starts it, and what the page does first would hold it up. With `makesSpares`, a machine
 * stands ready for the next fork, as by default where the device has the memory.
 */
export async function openBackend(
  next?: NeededImage,
  { makesSpares = hasMemoryToSpare() }: { makesSpares?: boolean } = {},
): Promise<SandboxBackend> {
  const startWorker = () =>
    new Worker(new URL('../worker/main.ts', import.meta.url), { type: 'module', name: 'coppice machine' });
  const backend = new WorkerBackend(startWorker, openSwitchboard, { makesSpares });
  setDefaultBackend(backend);
  if (next) await backend.prepare(next);
  return backend;
}

/** Browsers that do not tell are those of desktops, mostly. */
function hasMemoryToSpare(): boolean {
  const { deviceMemory } = navigator as Navigator & { readonly deviceMemory?: number };
  return deviceMemory === undefined || deviceMemory >= limits.spareMachineDeviceGiB;
}

function openSwitchboard(): Switchboard | undefined {
  if (!('SharedWorker' in globalThis)) return undefined;
  const worker = new SharedWorker(new URL('../transports/switchboard-worker.ts', import.meta.url), {
    type: 'module',
    name: 'coppice switchboard',
  });
  return new Switchboard(worker.port);
}
