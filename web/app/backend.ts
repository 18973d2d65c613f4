import type { SandboxBackend } from '../../protocol/sandbox.ts';
import { setDefaultBackend } from '../../sdk/sandbox.ts';
import { Switchboard } from '../transports/switchboard.ts';
import { WorkerBackend } from '../transports/worker-backend.ts';

/** The sandboxes of this origin, each in a machine worker. */
export async function openBackend(): Promise<SandboxBackend> {
  const startWorker = () =>
    new Worker(new URL('../worker/main.ts', import.meta.url), { type: 'module', name: 'coppice machine' });
  const backend = new WorkerBackend(startWorker, openSwitchboard());
  setDefaultBackend(backend);
  return backend;
}

function openSwitchboard(): Switchboard | undefined {
  if (!('SharedWorker' in globalThis)) return undefined;
  const worker = new SharedWorker(new URL('../transports/switchboard-worker.ts', import.meta.url), {
    type: 'module',
    name: 'coppice switchboard',
  });
  return new Switchboard(worker.port);
}
