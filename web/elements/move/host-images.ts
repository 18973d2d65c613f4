import type { HostImage } from '../../../protocol/sandbox/backend.ts';
import { hasImage, type SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import type { LinkState } from './bridge-link.ts';

/** The images of a host that `sandbox` could begin anew with there. */
export function otherImages(state: LinkState, { imageDigest }: SandboxInfo): readonly HostImage[] {
  return state.type === 'connected' ? state.images.filter(({ digest }) => digest !== imageDigest) : [];
}

/** Whether a host has not the image of `sandbox`, so that only files could move there. One that lists none may have it. */
export function lacksImage(state: LinkState, sandbox: SandboxInfo): boolean {
  if (state.type !== 'connected' || state.images.length === 0 || !hasImage(sandbox)) return false;
  return state.images.every(({ digest }) => digest !== sandbox.imageDigest);
}
