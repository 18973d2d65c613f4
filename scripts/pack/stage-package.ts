import { chmod, copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildPrograms } from '../../bridge-server/main/build-programs.ts';
import { buildHostProgram } from '../../bridge-server/programs/build-host-program.ts';
import { processContext } from '../../cli/context.ts';
import { manualPage } from '../../cli/man/manual-page.ts';
import { buildProgram } from '../../cli/program.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { createProgress } from '../../host/progress.ts';
import { builderDigest } from '../../images/builder-digest.ts';
import { root, runStep } from '../run-step.ts';
import { bundleModules } from './bundle-modules.ts';
import { copyTypes } from './copy-types.ts';
import {
  browserModule,
  bundledName,
  commandModule,
  elementManifestFile,
  embedModule,
  nodeExports,
} from './entries.ts';
import { packageJson } from './package-json.ts';

/** What the package has of the repository as it is: C sources, recipes of images, and what is for people. */
const copied = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'guest/init',
  'guest/launch',
  'guest/scan',
  'guest/spawn',
  'guest/unpack',
  'guest/watch',
  'guest/rootfs',
  'guest/compiled/compiled.json',
  'guest/compiled/i386',
  elementManifestFile,
  'images/profiles',
  'images/machine/lock.json',
  'images/kernel/fragment.config',
  'images/kernel/patches',
];

/** The projects whose declarations are needed. */
const typed = ['cli', 'bridge-server', 'sdk/adapters', 'web'];

/** Programs of a host that is not ours are compiled there. */
const programNames = ['launcher', 'scanner', 'spawner', 'unpacker', 'watcher'] as const;

/**
 * Lays out the package in `folder`, which begins empty: modules for Node, their types, static programs for machines
 * like this one, the command's manual.
 * @throws Error where something does not compile
 */
export async function stagePackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const types = await runStep(['tsc', '-b', ...typed], { quiet: true });
  if (types.code !== 0) throw new Error(`The types do not compile:\n${types.output}`);
  const imported = await bundleModules(join(folder, 'lib'));
  await chmod(join(folder, 'lib', `${bundledName(commandModule)}.js`), 0o755);
  await copyTypes(
    [browserModule, embedModule, ...nodeExports.map(({ module }) => module)],
    join(folder, 'types'),
  );
  for (const path of copied) await copySource(path, folder);
  await placePrograms(join(folder, 'programs', `${process.platform}-${process.arch}`));
  await writeFile(join(folder, 'builder-digest'), await builderDigest());
  await writeFile(join(folder, 'coppice.1'), manualPage(buildProgram(processContext())));
  const project = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify(packageJson(project, imported), undefined, 2)}\n`,
  );
}

/** Without modules: those are bundled, and tests are of the repository. */
async function copySource(path: string, folder: string): Promise<void> {
  const to = join(folder, path);
  await mkdir(dirname(to), { recursive: true });
  await cp(join(root, path), to, {
    recursive: true,
    filter: (source) => !source.endsWith('.ts') && !source.endsWith('/test'),
  });
}

async function placePrograms(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const options = { cache: new CacheFolder(cachePath()), progress: createProgress() };
  const programs = await buildPrograms(options);
  const place = async (name: string, program: string) => {
    await copyFile(program, join(folder, name));
    await chmod(join(folder, name), 0o755);
  };
  for (const name of programNames) await place(name, programs[name]);
  await place('coppice-init', await buildHostProgram('coppice-init', options));
}
