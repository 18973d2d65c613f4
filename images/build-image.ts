import { existsSync } from 'node:fs';
import type { CacheFolder } from '../host/cache/cache-folder.ts';
import { withCacheLock } from '../host/cache/cache-lock.ts';
import { digestParts } from '../host/cache/digest.ts';
import { digestFolder } from '../host/cache/digest-folder.ts';
import { digestImports } from '../host/cache/digest-imports.ts';
import { AptRoot } from '../host/debian/apt-root.ts';
import { fetchHostPackages } from '../host/debian/host-packages.ts';
import type { BuiltImage } from '../host/images/built-image.ts';
import { hashNatively } from '../host/native-hash.ts';
import type { Progress } from '../host/progress.ts';
import { inRepository } from '../host/repository.ts';
import { tabArchitecture } from '../protocol/architecture.ts';
import { builderDigest, isBundled } from './builder-digest.ts';
import { bootGolden } from './golden/boot-golden.ts';
import { v86Version } from './golden/node-v86.ts';
import { buildMachine, type Machine } from './machine/machine.ts';
import { findBuild, noteBuild, serveBuild } from './output/finished-builds.ts';
import { createRootTree, sealRoot } from './output/seal-root.ts';
import { writeImage } from './output/write-image.ts';
import { readLock } from './profiles/lock-file.ts';
import { type Profile, readProfile } from './profiles/profile.ts';
import { resolveProfile } from './profiles/resolve-profile.ts';
import { type SettledPackages, settleLock } from './profiles/settle-lock.ts';
import { assembleRoot } from './rootfs/assemble-root.ts';
import type { BytecodeOrigin } from './rootfs/python-bytecode.ts';

export interface BuildOptions {
  readonly cache: CacheFolder;
  readonly progress: Progress;
  /** Whether to boot an image that has a machine, and store the state that visitors start from. */
  readonly golden: boolean;
  readonly signal?: AbortSignal;
}

/** Files of this repository that are laid over the packages of every image: the shell integration. */
const overlays = [inRepository('guest', 'rootfs')].filter(existsSync);

/** Modules that decide, with all that they import, what the image looks like; a change of one makes another image. */
const deciding = {
  files: ['images/rootfs/assemble-root.ts', 'images/output/seal-root.ts', 'images/output/write-image.ts'],
  machine: ['images/golden/boot-golden.ts'],
};

/**
 * Builds the image of a profile from its lock, or finds it built. The manifest appears as
 * `<profile>.json` when everything that it names is there.
 * @throws asset-unavailable, unsupported and others, each with what to do about it
 */
export async function buildImage(name: string, options: BuildOptions): Promise<BuiltImage> {
  const { cache, progress } = options;
  hashNatively();
  await cache.sweep();
  const profile = await readProfile(name);
  const alone = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    withCacheLock(cache.join('builds', `${what}.lock`), work, {
      onWait: (holder) => progress.note(`  waits for ${holder} to build ${name}`),
    });
  const parts = await alone(name, () => gatherParts(profile, options));
  const key = await buildKey({ profile, ...parts, golden: options.golden });
  // Another checkout may be building another image of this name, for minutes: one that is built does not wait for it.
  const text =
    (await findBuild(key, cache)) ??
    (await alone(
      key,
      async () => (await findBuild(key, cache)) ?? make(profile, { ...options, parts, key }),
    ));
  return serveBuild(profile.name, text, cache);
}

/** What an image is made from, fetched and built into the cache. */
interface ImageParts {
  readonly packages: SettledPackages['packages'];
  readonly machine: Machine | undefined;
  /** How they differ from what the locks name. */
  readonly offLock: readonly string[];
}

async function gatherParts(profile: Profile, options: BuildOptions): Promise<ImageParts> {
  const { cache, progress } = options;
  const apt = once(() =>
    AptRoot.open(cache, { architecture: profile.architecture, progress }).then(async (root) => {
      await root.update();
      return root;
    }),
  );
  const fetching = { ...options, apt };
  const settled = await settleLock(
    await readLock(profile.lockPath),
    (root) => resolveProfile(profile, root),
    fetching,
  );
  const machine = profile.architecture === tabArchitecture ? await buildMachine(fetching) : undefined;
  const offLock = [...(machine?.offLock ?? []), ...settled.offLock];
  tellOffLock(offLock, progress);

  return { packages: settled.packages, machine, offLock };
}

/** Whoever has a package, and not the repository, can do nothing about the locks in it. */
function tellOffLock(offLock: readonly string[], progress: Progress): void {
  if (offLock.length === 0) return;
  if (isBundled()) {
    progress.note(`Debian has other versions of ${offLock.length} packages than this image is locked to`);
    return;
  }
  for (const line of offLock) progress.warn(`off the lock: ${line}`);
  progress.warn('re-lock with `npm run images -- update`');
}

/** Makes the image, and answers its manifest's text, which is found by `key` from then on. */
async function make(
  profile: Profile,
  options: BuildOptions & { readonly parts: ImageParts; readonly key: string },
): Promise<string> {
  const { cache, progress, key } = options;
  const { packages, machine, offLock } = options.parts;
  const tree = createRootTree();
  const hostPackages = (names: readonly string[]) => fetchHostPackages(names, options);
  const { bytecode } = await progress.step('Unpack packages', (report) =>
    assembleRoot(tree, packages, { profile, cache, report, overlays, hostPackages }),
  );
  const why = otherBytecode(bytecode, profile);
  if (why) progress.warn(why);
  const root = await progress.step('Hash files', (report) => sealRoot(tree, report));
  const golden =
    machine && options.golden
      ? await progress.step('Boot and save the state', (report) =>
          bootGolden(root, { machine, profile, report }),
        )
      : undefined;
  const deviations = why ? [...offLock, why] : offLock;
  const manifest = await progress.step('Compress', (report) =>
    writeImage(root, {
      profile,
      machine: machine && { parts: machine, golden },
      offLock: deviations,
      cache,
      report,
    }),
  );
  const text = `${JSON.stringify(manifest, undefined, 1)}\n`;
  await noteBuild(key, text, cache);
  return text;
}

/** What an image says of Python's modules that its own Python did not compile. */
function otherBytecode(origin: BytecodeOrigin, { architecture }: Profile): string | undefined {
  const cannot = `this machine cannot run ${architecture} programs`;
  switch (origin.type) {
    case 'image':
      return undefined;
    case 'host':
      return `Python modules are compiled by Debian's Python for this machine: ${cannot}`;
    case 'none':
      return `Python modules are not compiled: ${cannot}, and Debian's Python for it fails: ${origin.why}`;
  }
}

/** What an image is made of, as one digest. */
async function buildKey(parts: {
  profile: Profile;
  packages: ImageParts['packages'];
  machine: Machine | undefined;
  golden: boolean;
}): Promise<string> {
  const { profile, packages, machine } = parts;
  const digests = packages.map(({ sha256 }) => sha256);
  const modules = [...deciding.files, ...(machine ? deciding.machine : [])];
  const code = isBundled() ? await builderDigest() : await digestImports(modules, { root: inRepository() });
  const files = await Promise.all(overlays.map((folder) => digestFolder(folder)));
  const { lockPath: _, ...recipe } = profile;
  return digestParts([
    JSON.stringify(recipe),
    JSON.stringify(digests),
    ...(machine ? await machineKey(machine, parts) : []),
    code,
    ...files,
  ]);
}

async function machineKey(
  { kernel, initramfs, bios, vgaBios }: Machine,
  { golden }: { golden: boolean },
): Promise<(Uint8Array | string)[]> {
  return [String(golden), await v86Version(), kernel, initramfs, bios, vgaBios];
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
