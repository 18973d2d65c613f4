import { limits } from '../../../protocol/limits.ts';
import { NodeError } from './node-error.ts';

/**
 * The absolute path of what a client calls `path`: everything is below the working directory, which is also what `/` names.
 * @throws NodeError EACCES for what lies above it, EINVAL
 */
export function resolveInWorkdir(workdir: string, path: unknown, operation: string): string {
  if (typeof path !== 'string' || path.includes('\0') || path.length > limits.nativePathBytes)
    throw new NodeError('EINVAL', { operation, path: String(path).slice(0, 100) });
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) throw new NodeError('EACCES', { operation, path });
  }
  return names.length === 0 ? workdir : `${workdir}/${names.join('/')}`;
}

/** `''` for the root. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
