import type { Architecture } from '../architecture.ts';
import type { ErrorCode, ErrorData } from '../errors.ts';
import { type DescribedRuntime, runtimes } from '../runtimes.ts';

/** Names of runtimes that are not built. */
type ReservedName = 'vm' | 'oci';
const reserved: readonly ReservedName[] = ['vm', 'oci'];

/** What can run a sandbox: what has a description (`describeRuntime`), and what is reserved. */
export type RuntimeName = DescribedRuntime | ReservedName;
export const runtimeNames: readonly RuntimeName[] = [
  ...(Object.keys(runtimes) as DescribedRuntime[]),
  ...reserved,
];

/** Where and what a sandbox is. */
export interface SandboxInfo {
  readonly id: string;
  readonly name: string;
  /** Empty where its runtime begins without an image, as is the digest (`hasImage`). */
  readonly image: string;
  /** Digest of the image's manifest, which names every asset the sandbox builds on. */
  readonly imageDigest: string;
  /** What its image's programs are for; absent without an image, and where it was not told yet, which was i386. */
  readonly architecture?: Architecture;
  readonly memoryMiB: number;
  readonly diskMiB: number;
  /** Weight of its processes against those of others, as in Docker; absent where the runtime has none. */
  readonly cpuShares?: number;
  /** The most processes and threads inside; absent where the runtime has no such limit. */
  readonly pids?: number;
  /** The most processors that all of it uses at once, or part of one; absent where nothing holds it back. */
  readonly cpus?: number;
  /** MiB a second that it reads of its disk, and that it writes, at most; absent where nothing holds it back. */
  readonly ioMiBps?: number;
  /** Which of its limits nothing on its host holds it to; absent where all are held. */
  readonly notHeld?: readonly GroupLimit[] | undefined;
  /** Absent in sandboxes that were made before it was told. */
  readonly network?: Network;
  /** What it reaches of its network `full`, as in `CreateOptions`; absent where that is all of it. */
  readonly allow?: readonly string[] | undefined;
  readonly runtime: RuntimeName;
  readonly createdAtMs: number;
  /** Where what runs in it begins, unless it is told otherwise; absent where that is the user's home. */
  readonly cwd?: string | undefined;
  /** Directories in which changes are captured with the next others, and wake no capture by themselves. */
  readonly ignore?: readonly string[] | undefined;
  /** Labels of its makers. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** When it is deleted with its history, ms since 1970; absent where it lives until somebody deletes it. */
  readonly expiresAtMs?: number | undefined;
  /** Whether programs in its jail may make namespaces and mounts of their own. */
  readonly nested?: boolean | undefined;
  /** What keeps its jail from the host; absent where no jail runs it. */
  readonly isolation?: Isolation | undefined;
  /** What holds it to `diskMiB`; absent where it has no files but those of its history. */
  readonly diskHeldBy?: DiskHolder | undefined;
  /** Set while files of it are on its host only, and in no snapshot: they stay there past its end. */
  readonly unsaved?: UnsavedFiles | undefined;
}

/**
 * What holds the sandboxes of a host to their disks: the kernel, by quotas of projects or of subvolumes, which refuses
 * what is past the limit; or the host, which looks and kills who writes past it.
 */
export const diskHolders = ['project-quota', 'btrfs-quota', 'watch'] as const;
export type DiskHolder = (typeof diskHolders)[number];

/** Why files that a sandbox has written are in no snapshot, and since when. */
export interface UnsavedFiles {
  readonly sinceMs: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * What a jail's walls are made of, the strongest first: namespaces with everything else behind them, or, where
 * a host forbids those, an id of its own, a changed root and Landlock.
 */
export const isolations = ['namespace', 'landlock'] as const;
export type Isolation = (typeof isolations)[number];

/** Limits that only control groups hold a jail to. */
export const groupLimits = ['memoryMiB', 'cpuShares', 'pids'] as const;
export type GroupLimit = (typeof groupLimits)[number];

/** What a sandbox reaches: nothing but itself, or what its host reaches. */
export type Network = 'isolated' | 'full';

/** Whether a sandbox builds on an image; otherwise all of its files are in its own store. */
export function hasImage({ imageDigest }: Pick<SandboxInfo, 'imageDigest'>): boolean {
  return imageDigest !== '';
}

export interface StorageInfo {
  /** Bytes this sandbox's objects take. */
  readonly storedBytes: number;
  readonly snapshots: number;
  readonly usageBytes: number;
  readonly quotaBytes: number;
  readonly persisted: boolean;
  readonly backend: 'opfs' | 'idb' | 'files' | 'memory';
  /** Why capture is stopped, when it is. */
  readonly stopped: ErrorData | undefined;
}
