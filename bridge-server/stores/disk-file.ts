import type { LogFile } from '../../tree/log-store/log-file.ts';
import type { Disk } from './disk.ts';

/**
 * The file behind a descriptor, which it closes. `beforeFlush` runs with each flush until it has
 * succeeded: what it does is as durable as the file then.
 */
export function openDiskFile(
  disk: Disk,
  fd: number,
  { beforeFlush }: { readonly beforeFlush?: () => void } = {},
): LogFile {
  let isDue = beforeFlush !== undefined;
  return {
    read: (into, at) => disk.read(fd, into, at),
    write: (bytes, at) => writeAll(disk, { fd, bytes, at }),
    truncate: (sizeBytes) => disk.truncate(fd, sizeBytes),
    flush: () => {
      if (isDue) beforeFlush?.();
      isDue = false;
      disk.sync(fd);
    },
    size: () => disk.size(fd),
    close: () => disk.close(fd),
  };
}

/** Linux takes what fits and tells why the rest does not at the next call only. */
function writeAll(
  disk: Disk,
  { fd, bytes, at }: { readonly fd: number; readonly bytes: Uint8Array; readonly at: number },
): number {
  let done = 0;
  while (done < bytes.length) {
    const taken = disk.write(fd, bytes.subarray(done), at + done);
    if (taken === 0) break;
    done += taken;
  }
  return done;
}
