import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundledName, commandModule } from './entries.ts';
import { copyProductionPackages } from './production-packages.ts';
import { stagePackage } from './stage-package.ts';

/** Finds its own folder also where a link leads to it. */
const command = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/node" "$here/../lib/${bundledName(commandModule)}.js" "$@"
`;

/**
 * Makes an archive in `folder` with the package, npm's packages and this Node: unpacked, `coppice/bin/coppice` runs on
 * a Linux with the same processor that has glibc, libstdc++ and a shell. Resolves to its path.
 */
export async function packStandalone(folder: string): Promise<string> {
  const top = join(folder, 'standalone');
  const staged = join(top, 'coppice');
  await rm(top, { recursive: true, force: true });
  await stagePackage(staged);
  const { version, dependencies } = JSON.parse(await readFile(join(staged, 'package.json'), 'utf8'));
  await copyProductionPackages(Object.keys(dependencies), staged);
  const bin = join(staged, 'bin');
  await mkdir(bin);
  await copyFile(await realpath(process.execPath), join(bin, 'node'));
  await writeFile(join(bin, 'coppice'), command);
  for (const name of ['node', 'coppice']) await chmod(join(bin, name), 0o755);
  const archive = join(folder, `coppice-${version}-${process.platform}-${process.arch}.tar.gz`);
  const unfinished = `${archive}.unfinished`;
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  await promisify(execFile)('tar', ['-czf', unfinished, ...owner, '-C', top, 'coppice']);
  await rename(unfinished, archive);
  return archive;
}
