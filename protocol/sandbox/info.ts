import type { SandboxReport } from '../sandbox-report.ts';
import type { SandboxInfo, StorageInfo } from './sandbox-info.ts';

/** What a sandbox is, and how it is doing. */
export interface InfoFacet {
  get(): Promise<SandboxInfo>;
  storage(): Promise<StorageInfo>;
  /** What it is and did, as far as that is known. */
  report(): Promise<SandboxReport>;
}
