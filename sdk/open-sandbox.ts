import type { CloseOptions, SandboxConnection } from '../protocol/sandbox/connection.ts';
import type {
  Change,
  CheckoutOptions,
  CheckoutResult,
  SnapshotInfo,
  SnapshotOptions,
} from '../protocol/sandbox/history.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import type { Commands } from './commands.ts';
import type { History } from './history.ts';

/** A `Sandbox` as what it is made of sees it: sessions, copies and twins work on whole sandboxes, and stand below it. */
export interface OpenSandbox {
  readonly id: string;
  readonly info: SandboxInfo;
  readonly connection: SandboxConnection;
  readonly commands: Commands;
  readonly history: History;
  createSnapshot(options?: SnapshotOptions): Promise<SnapshotInfo>;
  checkout(reference: string, options?: CheckoutOptions): Promise<CheckoutResult>;
  diff(from: string, to: string): Promise<Change[]>;
  close(options?: CloseOptions): Promise<void>;
}
