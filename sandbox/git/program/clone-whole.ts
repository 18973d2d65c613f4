import { throwIfAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import type { ClonePlan } from '../clone-plan.ts';
import { type CloneOptions, cloneRepository } from './clone-repository.ts';
import { Staging } from './staging.ts';

/**
 * Clones a repository to its place, all of it or nothing: beside it first, by processes of the sandbox, git as its user.
 * Whatever ends it, nothing of a clone that is not whole stays, and no git runs any more, but one that a kill does not end.
 * @throws already-exists, unsupported (no git in the image), not-found, forbidden, asset-unavailable, storage-full, aborted
 */
export async function cloneWhole(
  processes: ProcessStarter,
  plan: ClonePlan,
  options: Omit<CloneOptions, 'tree'>,
): Promise<void> {
  throwIfAborted(options.signal, `Cannot clone "${plan.url}"`);
  const staging = await Staging.open(processes, plan.path);
  if (!staging) {
    const message = `Cannot clone "${plan.url}": something is at "${plan.path}" already`;
    throw new SandboxError('already-exists', message, { details: { path: plan.path } });
  }
  try {
    await cloneRepository(processes, plan, { ...options, tree: staging.tree });
    await staging.keep();
  } finally {
    await staging.discard();
  }
}
