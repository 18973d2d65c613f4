import { chmod, rm } from 'node:fs/promises';

/**
 * Removes a folder and all that is in it, without following symlinks. A folder whose owner may not
 * enter it (overlay's `work/work`, or what a jail did to its own) is no obstacle.
 */
export async function removeFolder(path: string): Promise<void> {
  for (let opened = 0; ; opened += 1) {
    try {
      await rm(path, { recursive: true, force: true });
      return;
    } catch (error) {
      const { code, path: closed } = error as NodeJS.ErrnoException;
      if ((code !== 'EACCES' && code !== 'EPERM') || closed === undefined || opened > maxOpened) throw error;
      await chmod(closed, 0o700);
    }
  }
}

const maxOpened = 10_000;
