import { SandboxError } from '../../protocol/errors.ts';
import type { HostPackagesOptions } from '../debian/host-packages.ts';
import { buildEnvironment } from './build-environment.ts';
import { toolchainEnvironment } from './lay-out-toolchain.ts';
import { openPrivateToolchain, toolchainPackages } from './private-toolchain.ts';
import { type Probe, probeToolchain } from './probe-toolchain.ts';

/** What builds the kernel and init. */
export interface Toolchain {
  /** To be given to every program of the build. */
  readonly env: NodeJS.ProcessEnv;
  /** First line of `gcc --version`: what is built by another compiler is another thing. */
  readonly compiler: string;
}

/**
 * The host's own C toolchain if it works, else Debian's in the cache, fetched when it is not there.
 * @throws unsupported that says what to install, when neither can be had
 */
export async function openToolchain(options: HostPackagesOptions): Promise<Toolchain> {
  const { cache } = options;
  const inherited = buildEnvironment(process.env);
  const host = await probe(inherited, options);
  if (host.type === 'works') return { env: inherited, compiler: host.compiler };
  const onFetch = () =>
    options.progress.note(
      `No C toolchain here (${firstLine(host.reason)}): Debian's is fetched into the cache`,
    );
  const name = await openPrivateToolchain({ ...options, onFetch }).catch((cause: unknown) => {
    throw unusable(`Debian's cannot be fetched: ${SandboxError.from(cause).message}`, cause);
  });
  const env = toolchainEnvironment(cache.join(name), inherited);
  const fetched = await probe(env, options);
  if (fetched.type === 'works') return { env, compiler: fetched.compiler };
  // It may be damaged, which the next run is to make good.
  if (fetched.type === 'fails') await cache.drop(name);
  throw unusable(`Debian's does not work here: ${fetched.reason}`);
}

async function probe(env: NodeJS.ProcessEnv, options: HostPackagesOptions): Promise<Probe> {
  const { cache, signal } = options;
  return cache.withTemporaryFolder((folder) => probeToolchain(env, { folder, signal }));
}

function unusable(reason: string, cause?: unknown): SandboxError {
  if (cause instanceof SandboxError && cause.code === 'aborted') return cause;
  const remedy = `apt-get install ${toolchainPackages.join(' ')}`;
  return new SandboxError(
    'unsupported',
    `Cannot build the kernel and init: this machine has no C toolchain that works, and ${reason}\nInstall with: ${remedy}`,
    { details: { feature: 'C toolchain', packages: toolchainPackages }, cause },
  );
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
