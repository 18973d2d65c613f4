import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, relative } from 'node:path';
import type { CacheFolder } from '../cache/cache-folder.ts';
import type { ArchivePackage } from '../debian/archive-package.ts';
import { unpackPackages } from '../debian/unpack-packages.ts';
import type { StepReport } from '../progress.ts';

/** Of no use to a build. */
const unwanted = /^\/(etc|var)\/|^\/usr\/share\/(bug|doc|doc-base|info|lintian|locale|man)\//;

/** The host's programs and the toolchain's share the host's C library: two of them do not go together. */
const cLibrary = ['libc6', 'libc6-dev'];

/** Finds its own folder, which moves when it is published. */
const compilerScript = `#!/bin/sh
root="\${0%/*}/../root"
exec "$root/usr/bin/gcc" --sysroot="$root" "$@"
`;

/**
 * Lays fetched packages out for `toolchainEnvironment`: `root/` is what they hold, `libraries/` what
 * their programs load, `bin/` what has to be told where it is.
 */
export async function layOutToolchain(
  packages: readonly ArchivePackage[],
  folder: string,
  { cache, report }: { cache: CacheFolder; report: StepReport },
): Promise<void> {
  const root = join(folder, 'root');
  const keeps = (path: string) => !unwanted.test(path);
  const isLinked = ({ name }: ArchivePackage) => cLibrary.includes(name);
  // Debian 12 still has packages with files in /lib, which is a link in a root that is in use.
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) {
    await mkdir(join(root, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(root, name));
  }
  const programs = packages.filter((one) => !isLinked(one));
  await unpackPackages(programs, root, { cache, report, keeps });
  await linkLibraries(root, join(folder, 'libraries'));
  await unpackPackages(packages.filter(isLinked), root, { cache, keeps });
  const compiler = join(folder, 'bin/gcc');
  await mkdir(dirname(compiler));
  await writeFile(compiler, compilerScript, { mode: 0o755 });
}

/** Links the shared libraries of every architecture folder into one. */
async function linkLibraries(root: string, folder: string): Promise<void> {
  await mkdir(folder);
  const triplets = (await readdir(join(root, 'usr/lib'))).filter((name) => name.includes('-linux-gnu'));
  for (const triplet of triplets) {
    for (const name of await readdir(join(root, 'usr/lib', triplet))) {
      if (!/\.so(\.|$)/.test(name)) continue;
      await symlink(relative(folder, join(root, 'usr/lib', triplet, name)), join(folder, name));
    }
  }
}

/** The environment in which programs of an unpacked toolchain are found, and find one another and their parts. */
export function toolchainEnvironment(path: string, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const usr = join(path, 'root/usr');
  const list = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(delimiter);
  return {
    ...inherited,
    PATH: list(join(path, 'bin'), join(usr, 'bin'), inherited.PATH),
    LD_LIBRARY_PATH: list(join(path, 'libraries'), inherited.LD_LIBRARY_PATH),
    BISON_PKGDATADIR: join(usr, 'share/bison'),
    M4: join(usr, 'bin/m4'),
  };
}
