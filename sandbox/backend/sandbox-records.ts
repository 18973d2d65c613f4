import type { SandboxRecord } from '../sandbox-settings.ts';

/** The sandboxes of a host by id. */
export interface SandboxRecords {
  /** Oldest first. An entry that cannot be read is left out. */
  list(): Promise<SandboxRecord[]>;
  /** @throws not-found */
  get(id: string): Promise<SandboxRecord>;
  add(info: SandboxRecord): Promise<void>;
  remove(id: string): Promise<void>;
  /** Gives one another name. Absent where a sandbox keeps the name that it was made with. @throws not-found, conflict */
  rename?(id: string, name: string): Promise<SandboxRecord>;
  /** Moves the end of one, or takes it away. Absent where sandboxes have none. @throws not-found */
  setExpiry?(id: string, expiresAtMs: number | undefined): Promise<SandboxRecord>;
  /** Those whose end has come. */
  expired?(nowMs: number): Promise<string[]>;
  /** Notes that a sandbox is being made, until `add` or `forgetUnfinished`. */
  begin(id: string): Promise<void>;
  /** Those that were begun before, and never finished. */
  unfinished(beforeMs: number): Promise<string[]>;
  forgetUnfinished(id: string): Promise<void>;
}
