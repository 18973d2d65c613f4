import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import type { ArchivePackage } from '../../host/debian/archive-package.ts';
import { unpackPackages } from '../../host/debian/unpack-packages.ts';
import { runTool } from '../../host/run-tool.ts';
import { isArchitecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { type LibraryLayout, libraryLayouts } from './library-layout.ts';
import type { RootWriter } from './root-writer.ts';

/** Libraries that Python's program is linked with. */
const needed = ['libc.so.6', 'libexpat.so.1', 'libm.so.6', 'libz.so.1'];

export interface BytecodeOptions {
  readonly layout: LibraryLayout;
  readonly cache: CacheFolder;
  /** Debian's packages of these names for this host, with what they depend on, fetched; rejects where they cannot be had. */
  readonly hostPackages: (names: readonly string[]) => Promise<readonly ArchivePackage[]>;
}

/** Whose Python compiled: the image's own, Debian's for this host, or none, and why not. */
export type BytecodeOrigin =
  | { readonly type: 'image' | 'host' }
  | { readonly type: 'none'; readonly why: string };

/**
 * Python's compiled modules, which its packages compile when they are installed. Without them each
 * start of Python compiles anew, as the user may not write them: seconds in an emulated machine.
 * They are compiled by the image's own Python, which the host's kernel runs as it is if it can run
 * programs for its processor, so the result depends on the lock alone. Where it cannot, Debian's
 * Python of the same version for this host does: bytecode is for a version of Python, not for a processor.
 */
export async function compilePython(root: RootWriter, options: BytecodeOptions): Promise<BytecodeOrigin> {
  const versions = root.list('/usr/lib').filter((name) => /^python3\.\d+$/.test(name));
  let origin: BytecodeOrigin = { type: 'image' };
  for (const version of versions) {
    const folders = [`/usr/lib/${version}`, '/usr/lib/python3/dist-packages'];
    origin = await options.cache.withTemporaryFolder(async (host) => {
      for (const folder of folders) await exportFolder(root, folder, host);
      const env = environment(host);
      const own = await exportProgram(root, version, { host, layout: options.layout });
      const found = await findPython([() => own, () => unpackHostPython(version, host, options)], env);
      if ('why' in found) return { type: 'none', why: found.why };
      await compile(found.command, { host, folders, env });
      for (const folder of folders) await importBytecode(root, folder, host);
      return { type: found.command === own ? 'image' : 'host' };
    });
    if (origin.type === 'none') return origin;
  }
  return origin;
}

/** The words that start a Python: its linker, where its libraries are, and it. */
type PythonCommand = readonly string[];

function environment(host: string): NodeJS.ProcessEnv {
  return {
    // Nothing of the host's environment; a fixed seed, since sets are written in the order of hashes.
    PYTHONHOME: join(host, 'usr'),
    PYTHONHASHSEED: '0',
    LC_ALL: 'C.UTF-8',
    // Else what the compiler itself imports is written first, with the host's paths in it, and stays.
    PYTHONDONTWRITEBYTECODE: '1',
  };
}

/** The first that this host's kernel runs, or why the last one does not. @throws aborted */
async function findPython(
  candidates: readonly (() => PythonCommand | Promise<PythonCommand>)[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly command: PythonCommand } | { readonly why: string }> {
  let why = '';
  for (const candidate of candidates) {
    try {
      const command = await candidate();
      await runTool([...command, '-S', '-c', ''], { env });
      return { command };
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (error.code === 'aborted') throw error;
      why = error.message;
    }
  }
  return { why };
}

async function exportProgram(
  root: RootWriter,
  version: string,
  { host, layout }: { host: string; layout: LibraryLayout },
): Promise<PythonCommand> {
  await exportFile(root, `/usr/bin/${version}`, host, 0o755);
  for (const name of [layout.linker, ...needed])
    await exportFile(root, `${layout.folder}/${name}`, host, 0o755);
  return pythonBelow(host, version, layout);
}

async function unpackHostPython(
  version: string,
  host: string,
  { cache, hostPackages }: BytecodeOptions,
): Promise<PythonCommand> {
  const packages = await hostPackages([`${version}-minimal`]);
  const below = join(host, 'host-python');
  // Debian 12 still has packages with files in /lib, which is a link in a root that is in use.
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) {
    await mkdir(join(below, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(below, name));
  }
  await unpackPackages(packages, below, { cache });
  const architecture = packages.map((one) => one.architecture).find(isArchitecture);
  if (!architecture) throw new RangeError('Packages of an architecture that images are not for');
  return pythonBelow(below, version, libraryLayouts[architecture]);
}

function pythonBelow(folder: string, version: string, layout: LibraryLayout): PythonCommand {
  const libraries = join(folder, layout.folder);
  return [join(libraries, layout.linker), '--library-path', libraries, join(folder, 'usr/bin', version)];
}

async function compile(
  python: PythonCommand,
  { host, folders, env }: { host: string; folders: readonly string[]; env: NodeJS.ProcessEnv },
): Promise<void> {
  // Times rather than hashes, so that a changed source is noticed with one stat; paths as in the image.
  const compileAll = ['-m', 'compileall', '-q', '--invalidation-mode', 'timestamp', '-s', host, '-p', '/'];
  const present = folders.map((folder) => join(host, folder));
  // Exit code 1: a module that is made not to compile (lib2to3's tests) did not.
  await runTool([...python, '-S', ...compileAll, ...present], { env, acceptedExitCodes: [1] });
}

async function exportFolder(root: RootWriter, folder: string, host: string): Promise<void> {
  await mkdir(join(host, folder), { recursive: true });
  for (const name of root.list(folder)) {
    const path = `${folder}/${name}`;
    if (root.isDirectory(path)) await exportFolder(root, path, host);
    else if (name.endsWith('.py')) await exportFile(root, path, host, 0o644);
  }
}

async function exportFile(root: RootWriter, path: string, host: string, mode: number): Promise<void> {
  const bytes = root.readBytes(path);
  if (!bytes) return;
  await mkdir(dirname(join(host, path)), { recursive: true });
  await writeFile(join(host, path), bytes, { mode });
  const seconds = root.mtimeSeconds(path);
  await utimes(join(host, path), seconds, seconds);
}

async function importBytecode(root: RootWriter, folder: string, host: string): Promise<void> {
  const entries = await readdir(join(host, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.pyc'));
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  for (const path of paths) root.file(path.slice(host.length), await readFile(path));
}
