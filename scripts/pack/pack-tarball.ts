import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stagePackage } from './stage-package.ts';

/** Makes the package in a folder below `folder`, and of that a tarball in `folder`. Resolves to its path. */
export async function packTarball(folder: string): Promise<string> {
  const staged = join(folder, 'package');
  await stagePackage(staged);
  const args = ['pack', '--json', '--pack-destination', folder, staged];
  const { stdout } = await promisify(execFile)('npm', args, { maxBuffer: 64 * 1024 * 1024 });
  return join(folder, nameIn(JSON.parse(stdout)));
}

/** npm 12 answers an object by the names of packages, and earlier ones a list. */
function nameIn(answer: unknown): string {
  const [packed] = Object.values(Object(answer));
  return String(Object(packed).filename);
}
