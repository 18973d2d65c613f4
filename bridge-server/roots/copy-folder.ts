import { listenAbort, throwIfAborted } from '../../protocol/abort.ts';
import { HostTool } from '../programs/host-tool.ts';

/**
 * Copies a folder to a new one. Symlinks stay what they are; blocks are shared where the file system
 * can, and never inodes. @throws storage-full, internal, aborted
 */
export async function copyFolder(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  await using cp = new HostTool('cp', ['--archive', '--reflink=auto', '--no-target-directory', from, to]);
  const unlisten = listenAbort(signal, () => void cp[Symbol.asyncDispose]());
  try {
    await cp.finish();
  } finally {
    unlisten();
    throwIfAborted(signal, 'Cannot make a root');
  }
}
