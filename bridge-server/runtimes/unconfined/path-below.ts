import { isAbsolute, relative, resolve } from 'node:path';
import { SandboxError } from '../../../protocol/errors.ts';

/** The path of the host that `path` means in a folder; links are not looked at. @throws invalid-argument for one that is outside */
export function pathBelow(folder: string, path: string): string {
  const there = resolve(folder, path);
  const below = relative(folder, there);
  if (below.split('/')[0] !== '..' && !isAbsolute(below)) return there;
  const message = `${path} is not below the working folder, ${folder}: give a path relative to it, such as src`;
  throw new SandboxError('invalid-argument', message);
}
