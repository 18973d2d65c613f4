// `coppice.js` of the site: the SDK with this origin's sandboxes as its backend, for other pages of the origin.
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { openBackend } from './backend.ts';
import type { WebContainersOptions } from './webcontainer-backend.ts';

/** The sandboxes of this origin: where they are made unless another backend is named. */
export const tab: SandboxBackend = await openBackend();

export * from '../../sdk/index.ts';

/**
 * Sandboxes of runtime `webcontainer`, in this page: `Sandbox.create({ runtime: 'webcontainer', backend })`. One is open at a
 * time. What runs them is loaded here.
 */
export async function openWebContainers(options: WebContainersOptions): Promise<SandboxBackend> {
  const { webContainerBackend } = await import('./webcontainer-backend.ts');
  return webContainerBackend(options);
}
