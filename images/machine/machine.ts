import { readFile } from 'node:fs/promises';
import { findCompiled } from '../../host/compiled/compiled-programs.ts';
import type { FetchOptions } from '../../host/debian/fetch-packages.ts';
import { inRepository } from '../../host/repository.ts';
import { openToolchain } from '../../host/toolchain/open-toolchain.ts';
import { buildInit, initSources, packInitramfs } from '../init/build-init.ts';
import { buildKernel, kernelSources } from '../kernel/build-kernel.ts';
import { builtFrom, machineLockPath, resolveMachine } from '../machine-packages.ts';
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

/** Names in `guest/compiled`. */
export const compiledNames = {
  kernel: 'i386/bzImage',
  kernelConfig: 'i386/bzImage.config',
  init: 'i386/init',
} as const;

/** Init's C sources. */
export const initFolder: string = inRepository('guest', 'init');

/**
 * Fetches the machine that all images share. Kernel and init come compiled with the sources; where those have changed since,
 * they are built into the cache.
 */
export async function buildMachine(options: FetchOptions): Promise<Machine> {
  const { packages: locked } = await readLock(machineLockPath);
  const kernel = await findCompiled(compiledNames.kernel, await kernelSources(locked));
  const init = await findCompiled(compiledNames.init, await initSources(locked, initFolder));
  const needless = new Set<string>([...(kernel ? builtFrom.kernel : []), ...(init ? builtFrom.init : [])]);
  const needed = locked.filter(({ name }) => !needless.has(name));
  const names = needed.map(({ name }) => name);
  const settled = await settleLock({ packages: needed }, (apt) => resolveMachine(apt, names), options);
  const { packages, offLock } = settled;
  const { bios, vgaBios } = await readBios(packages, options.cache);
  let opening: ReturnType<typeof openToolchain> | undefined;
  const building = async () => {
    opening ??= openToolchain(options);
    return { ...options, toolchain: await opening, sources: initFolder };
  };
  return {
    kernel: kernel ? await readFile(kernel) : (await buildKernel(packages, await building())).image,
    initramfs: packInitramfs(init ? await readFile(init) : await buildInit(packages, await building())),
    bios,
    vgaBios,
    offLock,
  };
}
