import { SandboxError } from '../../../protocol/errors.ts';

/** An error as those of Node's file system, which clients look into for its `code`. */
export class NodeError extends Error {
  override readonly name = 'Error';
  readonly code: string;

  constructor(code: keyof typeof texts, { operation, path }: { operation: string; path: string }) {
    super(`${code}: ${texts[code]}, ${operation} '${path}'`);
    this.code = code;
  }
}

const texts = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  ENOTEMPTY: 'directory not empty',
  EACCES: 'permission denied',
  EINVAL: 'invalid argument',
  ENOSPC: 'no space left on device',
} as const;

/** What failed in the sandbox, in Node's words where it has them. */
export function toNodeError(cause: unknown, where: { operation: string; path: string }): Error {
  if (cause instanceof NodeError) return cause;
  const error = SandboxError.from(cause);
  if (error.code === 'not-found') return new NodeError('ENOENT', where);
  if (error.code === 'storage-full') return new NodeError('ENOSPC', where);
  return error;
}
