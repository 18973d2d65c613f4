import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runTool } from '../archive/run-tool.ts';
import type { CacheFolder } from '../cache/cache-folder.ts';
import type { LibraryLayout } from './library-layout.ts';
import type { RootWriter } from './root-writer.ts';

/** Libraries that Python's program is linked with. */
const needed = ['libc.so.6', 'libexpat.so.1', 'libm.so.6', 'libz.so.1'];

/**
 * Python's compiled modules, which its packages compile when they are installed. Without them each
 * start of Python compiles anew, as the user may not write them: seconds in an emulated machine.
 * They are compiled by the image's own Python, which the host's kernel runs as it is if it can run
 * programs for its processor, so the result depends on the lock alone. Answers whether it could.
 */
export async function compilePython(
  root: RootWriter,
  { layout, cache }: { layout: LibraryLayout; cache: CacheFolder },
): Promise<boolean> {
  const versions = root.list('/usr/lib').filter((name) => /^python3\.\d+$/.test(name));
  for (const version of versions) {
    const folders = [`/usr/lib/${version}`, '/usr/lib/python3/dist-packages'];
    const compiled = await cache.withTemporaryFolder(async (host) => {
      for (const folder of folders) await exportFolder(root, folder, host);
      await exportFile(root, `/usr/bin/${version}`, host, 0o755);
      for (const name of [layout.linker, ...needed])
        await exportFile(root, `${layout.folder}/${name}`, host, 0o755);
      if (!(await compile({ host, version, folders, layout }))) return false;
      for (const folder of folders) await importBytecode(root, folder, host);
      return true;
    });
    if (!compiled) return false;
  }
  return true;
}

async function compile(options: {
  host: string;
  version: string;
  folders: readonly string[];
  layout: LibraryLayout;
}): Promise<boolean> {
  const { host, version, folders, layout } = options;
  const program = [
    join(host, layout.folder, layout.linker),
    '--library-path',
    join(host, layout.folder),
    join(host, 'usr/bin', version),
  ];
  const env = {
    // Nothing of the host's environment; a fixed seed, since sets are written in the order of hashes.
    PYTHONHOME: join(host, 'usr'),
    PYTHONHASHSEED: '0',
    LC_ALL: 'C.UTF-8',
    // Else what the compiler itself imports is written first, with the host's paths in it, and stays.
    PYTHONDONTWRITEBYTECODE: '1',
  };
  try {
    await runTool([...program, '-S', '-c', ''], { env });
  } catch {
    return false;
  }
  // Times rather than hashes, so that a changed source is noticed with one stat; paths as in the image.
  const compileAll = ['-m', 'compileall', '-q', '--invalidation-mode', 'timestamp', '-s', host, '-p', '/'];
  const present = folders.map((folder) => join(host, folder));
  // Exit code 1: a module that is made not to compile (lib2to3's tests) did not.
  await runTool([...program, '-S', ...compileAll, ...present], { env, acceptedExitCodes: [1] });
  return true;
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
