import type { HostImage, SandboxBackend } from '../../../protocol/sandbox/backend.ts';

/** A host that runs sandboxes, as this tab does. */
export interface HostPlace {
  /** Its display name: the host and port of its bridge. */
  readonly name: string;
  /** The address of its bridge. */
  readonly url: string;
  /** Its backend; reconnects if the connection is lost. @throws connection-lost, unauthenticated */
  connect(): Promise<SandboxBackend>;
  /** The images that it offers, if it lists them. @throws connection-lost, unauthenticated */
  images(): Promise<readonly HostImage[]>;
}
