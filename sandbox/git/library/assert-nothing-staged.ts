import { SandboxError } from '../../../protocol/errors.ts';
import type { Repository } from './repository.ts';
import { isAnyStaged } from './staged-changes.ts';

/** The library's checkout takes the index for what may be overwritten: staged changes would be lost. @throws conflict */
export async function assertNothingStaged(repository: Repository, what: string): Promise<void> {
  if (!(await isAnyStaged(repository))) return;
  throw new SandboxError('conflict', `${what}: changes are staged`, {
    details: { remedy: 'Commit the changes first, or unstage them.' },
  });
}
