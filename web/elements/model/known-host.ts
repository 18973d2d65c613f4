import type { HostImage } from '../../../protocol/sandbox/backend.ts';
import type { GitProxyAddress } from '../../../protocol/sandbox/git.ts';

/** A host that the page knows, for elements that offer it as a choice. */
export interface KnownHost {
  /** Its display name: the host and port of its bridge. */
  readonly name: string;
  /** The address and token of its bridge. */
  readonly bridge: GitProxyAddress;
  /** The images that it has listed so far. */
  readonly images: readonly HostImage[];
  /** Why no sandbox can be made there now; `undefined` if it is connected, or has not been asked yet. */
  readonly problem: string | undefined;
}
