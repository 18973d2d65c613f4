import type { Effect } from './effect.ts';

/** The links of update-alternatives, without the detour through /etc/alternatives. A target that is not there makes none. */
export const alternatives: Effect = ({ root, profile }) => {
  for (const [link, target] of Object.entries(profile.alternatives)) {
    if (root.find(target) && !root.find(link)) root.symlink(link, target);
  }
};
