import type { HostImage, SandboxBackend } from '../../../protocol/sandbox.ts';

/** A host that runs sandboxes beside those of this tab. */
export interface HostPlace {
  /** What people call it: the host and port of its bridge. */
  readonly name: string;
  /** Its backend, connected anew when the connection is gone. @throws connection-lost, unauthenticated */
  connect(): Promise<SandboxBackend>;
  /** The images that it has ready, as far as it tells. @throws connection-lost, unauthenticated */
  images(): Promise<readonly HostImage[]>;
}
