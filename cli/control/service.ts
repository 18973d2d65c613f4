import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';

/** What a socket serves. */
export interface ControlService {
  readonly folder: string;
  /** Whose sandboxes several clients use at once. */
  readonly backend: SandboxBackend;
  /** A sandbox by its name or id, or the usual one. The caller closes it. @throws not-found, conflict */
  openSandbox(which: string | undefined): Promise<Sandbox>;
  /** What `status` says of whoever serves. */
  describe(): object;
  /** Asked to end. */
  stop(): void;
  /** Told of what went wrong that no client waits for. */
  readonly onFailure: (error: unknown) => void;
}
