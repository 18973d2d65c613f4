import { SandboxError } from '../../../protocol/errors.ts';
import type { Repository } from './repository.ts';

/** How git names the commit of a branch that is not there. */
const noCommit = '0'.repeat(40);

/** Has the library ask, before it pushes, whether the remote branch is where the last fetch has seen it. */
export async function leaseOf(
  { library, at }: Repository,
  { remote, branch, what }: { readonly remote: string; readonly branch: string; readonly what: string },
): Promise<{ onPrePush(push: { readonly remoteRef: { readonly oid: string } }): true }> {
  const ref = `refs/remotes/${remote}/${branch}`;
  const expected = await library.resolveRef({ ...at, ref }).catch(() => noCommit);
  return {
    onPrePush: ({ remoteRef }) => {
      if (remoteRef.oid === expected) return true;
      throw new SandboxError('conflict', `${what}: the remote branch has moved since it was fetched`, {
        details: { remedy: 'Fetch first, and see what it has.' },
      });
    },
  };
}
