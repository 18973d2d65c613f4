import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { AptRoot } from '../../../host/debian/apt-root.ts';
import type { Progress } from '../../../host/progress.ts';
import { openToolchain } from '../../../host/toolchain/open-toolchain.ts';
import { buildInit, packInitramfs } from '../../../images/init/build-init.ts';
import { machineLockPath, resolveMachine } from '../../../images/machine-packages.ts';
import { readLock } from '../../../images/profiles/lock-file.ts';
import { settleLock } from '../../../images/profiles/settle-lock.ts';

/** The C program in test/bench/guest as the init of an initramfs, built as the product's own init is. */
export async function buildGuestProgram(sources: string, progress: Progress): Promise<Uint8Array> {
  const cache = new CacheFolder(cachePath());
  const options = { cache, progress, apt: () => AptRoot.open(cache, { architecture: 'i386', progress }) };
  const { packages } = await settleLock(await readLock(machineLockPath), resolveMachine, options);
  const toolchain = await openToolchain({ cache, progress });
  return packInitramfs(await buildInit(packages, { cache, progress, sources, toolchain }));
}
