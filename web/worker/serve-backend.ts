import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { exposeBackend } from '../transports/expose-backend.ts';
import { loadMachineImage } from './machine/machine-image.ts';
import { SpareImage } from './spare-image.ts';
import { type TabHostOptions, tabHost } from './tab-host.ts';

type ServeOptions = Omit<TabHostOptions, 'spare'>;

const spare = new SpareImage();

/** Serves this worker's sandboxes on `port`. */
export function serveBackend(port: MessagePort, options: ServeOptions): void {
  exposeBackend(new LocalBackend(tabHost({ ...options, spare })), port);
}

/** Gets ready for a sandbox that begins like this one. @throws what `loadMachineImage` throws */
export async function warmUp(info: SandboxInfo, { downloads, wasm, marks }: ServeOptions): Promise<void> {
  await spare.warmUp(info, async (which) =>
    loadMachineImage(await downloads.take(which), { wasm: wasm(), marks, onProgress: () => {} }),
  );
}
