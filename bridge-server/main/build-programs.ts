import { openToolchain, type Toolchain } from '../../host/toolchain/open-toolchain.ts';
import { type BuildOptions, buildHostProgram } from '../programs/build-host-program.ts';

/** Paths of the C programs that a host runs sandboxes with. */
export interface HostPrograms {
  /** Starts jails. */
  readonly launcher: string;
  /** Finds what changed in roots. */
  readonly scanner: string;
  /** Starts these, and others of the host, for this process. */
  readonly spawner: string;
  /** Makes the files of layers and roots. */
  readonly unpacker: string;
  /** Tells when something changes in roots. */
  readonly watcher: string;
}

/**
 * Those of `guest`, compiled where neither the package nor the cache has them.
 * @throws unsupported when there is no C compiler and none can be fetched
 */
export async function buildPrograms(options: Omit<BuildOptions, 'toolchain'>): Promise<HostPrograms> {
  let opening: Promise<Toolchain> | undefined;
  const toolchain = () => {
    opening ??= openToolchain(options);
    return opening;
  };
  const building = { ...options, toolchain };
  return {
    launcher: await buildHostProgram('launcher', building),
    scanner: await buildHostProgram('scanner', building),
    spawner: await buildHostProgram('spawner', building),
    unpacker: await buildHostProgram('unpacker', building),
    watcher: await buildHostProgram('watcher', building),
  };
}
