import { SandboxError } from '../../protocol/errors.ts';
import type { WorkspaceOptions } from '../../protocol/sandbox/backend.ts';
import type { Network } from '../../protocol/sandbox/sandbox-info.ts';
import { type ClonePlan, planClone } from '../git/clone-plan.ts';

/** What is to be cloned, and how. */
export type WorkspacePlan = ClonePlan & Pick<WorkspaceOptions, 'credentials' | 'submodules'>;

/** Where a workspace is unless somebody says otherwise, in every sandbox and all of its forks. */
const usualPath = '/workspace';

/**
 * Checks what a workspace is to be cloned from, before anything is made. `reachesGit`: the sandbox's git talks to
 * servers without a network of the sandbox. @throws invalid-argument; unsupported when the URL needs a network and
 * there is none
 */
export function planWorkspace(
  { git, path = usualPath, credentials, submodules, ...choice }: WorkspaceOptions,
  { network, reachesGit = false }: { readonly network?: Network | undefined; readonly reachesGit?: boolean },
): WorkspacePlan {
  const plan = planClone({ url: git, directory: path, ...choice }, 'Cannot set up the workspace');
  if (plan.scheme !== 'file' && network !== 'full' && !reachesGit) {
    const remedy =
      'create it with network "full" on a host that has one, or upload an archive of the repository';
    throw new SandboxError('unsupported', `Cannot clone "${git}": the sandbox has no network; ${remedy}`, {
      details: { feature: 'network', url: git },
    });
  }
  return { ...plan, ...(credentials ? { credentials } : {}), ...(submodules ? { submodules } : {}) };
}
