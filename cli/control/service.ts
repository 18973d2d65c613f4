import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';

/** What a socket serves. */
export interface ControlService {
  readonly folder: string;
  /** Which addresses its sandboxes with a network may reach, for a client that asks for others; absent where there are none. */
  readonly network?: string | undefined;
  /** Whether files of its sandboxes are on a disk of the host, up to all of it; shells have limits of their own. */
  readonly hasDisk?: boolean | undefined;
  /** Whose sandboxes several clients use at once. */
  readonly backend: SandboxBackend;
  /** A sandbox by its name or id, or the usual one. The caller closes it. @throws not-found, conflict */
  openSandbox(which: string | undefined): Promise<Sandbox>;
  /** What `status` says of whoever serves. */
  describe(): object;
  /** @throws `unsavedChanges` where the end would lose some */
  assertSaved(): Promise<void>;
  /** Asked to end. */
  stop(): void;
  /** Told of what went wrong that no client waits for. */
  readonly onFailure: (error: unknown) => void;
}
