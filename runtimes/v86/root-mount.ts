import type { MountRequest } from '../../protocol/init/init-client.ts';

/**
 * How a guest mounts its tree: the tag is the only one v86 has; `loose` because nothing but the
 * guest writes while it is mounted; msize is what 9p over virtio can carry at most.
 */
export const rootMount: MountRequest = {
  tag: 'host9p',
  options: 'trans=virtio,version=9p2000.L,cache=loose,msize=512000',
};
