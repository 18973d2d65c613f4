import type { FetchOptions } from '../../host/debian/fetch-packages.ts';
import { inRepository } from '../../host/repository.ts';
import { openToolchain } from '../../host/toolchain/open-toolchain.ts';
import { buildInitramfs } from '../init/build-initramfs.ts';
import { buildKernel } from '../kernel/build-kernel.ts';
import { machineLockPath, resolveMachine } from '../machine-packages.ts';
import { readLock } from '../profiles/lock-file.ts';
import { settleLock } from '../profiles/settle-lock.ts';
import { readBios } from './read-bios.ts';

/** Everything around a file tree that makes it a machine. */
export interface Machine {
  readonly kernel: Uint8Array;
  /** Not compressed: assets are, when they are stored. */
  readonly initramfs: Uint8Array;
  readonly bios: Uint8Array;
  readonly vgaBios: Uint8Array;
  readonly offLock: readonly string[];
}

/** Fetches and builds the machine that all images share; what is in the cache is used as it is. */
export async function buildMachine(options: FetchOptions): Promise<Machine> {
  const { packages, offLock } = await settleLock(await readLock(machineLockPath), resolveMachine, options);
  const { bios, vgaBios } = await readBios(packages, options.cache);
  const building = { ...options, toolchain: await openToolchain(options) };
  const initramfs = await buildInitramfs(packages, { ...building, sources: inRepository('guest', 'init') });
  const kernel = await buildKernel(packages, building);
  return { kernel, initramfs, bios, vgaBios, offLock };
}
