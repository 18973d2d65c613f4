import { SandboxError } from '../../protocol/errors.ts';

/** HEAD is at a commit, and what was asked for needs a branch. */
export function detachedHead(what: string): SandboxError {
  return new SandboxError('invalid-argument', `${what}: HEAD is at no branch`, {
    details: { remedy: 'Name the branch, or check one out.' },
  });
}
