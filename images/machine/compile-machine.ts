import { keepCompiled, verifyCompiled } from '../../host/compiled/compiled-programs.ts';
import type { AptRoot } from '../../host/debian/apt-root.ts';
import type { FetchOptions } from '../../host/debian/fetch-packages.ts';
import { openToolchain } from '../../host/toolchain/open-toolchain.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { buildInit, initSources } from '../init/build-init.ts';
import { buildKernel, kernelSources } from '../kernel/build-kernel.ts';
import { machineLockPath, machinePackage } from '../machine-packages.ts';
import { readLock } from '../profiles/lock-file.ts';
import { settleLock } from '../profiles/settle-lock.ts';
import { compiledNames, initFolder } from './machine.ts';

/**
 * Builds kernel and init anew, of what the lock names, and keeps them with the sources; or holds what is kept to them.
 * @throws conflict, unsupported as `verifyCompiled`; asset-unavailable when a package has left the archive
 */
export async function compileMachine(
  { verifies }: { readonly verifies: boolean },
  options: FetchOptions,
): Promise<void> {
  const { packages } = await settleLock(await readLock(machineLockPath), refuseSuccessors, options);
  const toolchain = await openToolchain(options);
  const building = { ...options, toolchain, sources: initFolder, anew: true };
  const put = verifies ? verifyCompiled : keepCompiled;
  const made = (name: 'linux-source-6.1' | 'musl-dev', madeOf: string) => {
    const source = `${name} ${machinePackage(packages, name).version}`;
    return { compiler: toolchain.compiler, source, madeOf };
  };
  const init = made('musl-dev', await initSources(packages, initFolder));
  await put(compiledNames.init, await buildInit(packages, building), init);
  const { image, config } = await buildKernel(packages, building);
  const kernel = made('linux-source-6.1', await kernelSources(packages));
  await put(compiledNames.kernelConfig, config, kernel);
  await put(compiledNames.kernel, image, kernel);
}

/** What comes compiled is made of exactly what the lock names. */
async function refuseSuccessors(_apt: AptRoot): Promise<never> {
  const message = `The archive no longer has a package that ${machineLockPath} names. Re-lock with \`npm run images -- update\`, then build the kernel anew`;
  throw new SandboxError('asset-unavailable', message);
}
