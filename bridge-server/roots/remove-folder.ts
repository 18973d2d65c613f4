import { rm } from 'node:fs/promises';
import { runHostTool } from '../programs/host-tool.ts';

/**
 * Removes a folder and all that is in it, without following symlinks, whatever a jail has left in it:
 * paths longer than Linux opens, folders that their owner may not enter.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // Both walk by file descriptors, where Node makes one long path.
    await runHostTool('chmod', ['--recursive', 'u+rwx', '--', path]).catch(() => {});
    await runHostTool('rm', ['--recursive', '--force', '--', path]);
  }
}
