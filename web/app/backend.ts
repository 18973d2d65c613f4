import type { SandboxBackend } from '../../protocol/sandbox.ts';
import { setDefaultBackend } from '../../sdk/sandbox.ts';
import { WorkerBackend } from '../transports/worker-backend.ts';

/** The sandboxes of this origin, each in a machine worker. */
export async function openBackend(): Promise<SandboxBackend> {
  const backend = new WorkerBackend(
    () =>
      new Worker(new URL('../worker/main.ts', import.meta.url), { type: 'module', name: 'coppice machine' }),
  );
  setDefaultBackend(backend);
  return backend;
}
