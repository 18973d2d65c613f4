import type { Architecture } from '../protocol/architecture.ts';
import type { ImageManifest } from '../protocol/image-manifest.ts';
import type { ImageSource } from '../protocol/image-source.ts';
import type { HostImage } from '../protocol/sandbox/backend.ts';
import type { Progress } from '../protocol/sandbox/progress.ts';
import type { DiskHolder, Isolation, SandboxInfo, UnsavedFiles } from '../protocol/sandbox/sandbox-info.ts';
import type { SandboxStore } from '../tree/objects/sandbox-store.ts';
import type { SealedTree } from '../tree/objects/sealed-tree.ts';
import type { LocalSandbox } from './local-sandbox.ts';
import type { ResourceRules } from './resources.ts';
import type { SandboxRecord } from './sandbox-settings.ts';
import type { StartParts } from './start-sandbox.ts';

/** An image by its name (the newest) or by the digest of its manifest (one that a sandbox was made from). */
export type WhichImage = { readonly name: string } | { readonly digest: string };

/** An image whose metadata is at hand. */
export interface LoadedImage {
  readonly manifest: ImageManifest;
  readonly digest: string;
  readonly source: ImageSource;
}

/** The sandboxes of a place by id. */
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

/** Where sandboxes are kept and run: this browser's origin, or a folder of this host. */
export interface Place<Image extends LoadedImage = LoadedImage> {
  readonly runtime: SandboxInfo['runtime'];
  /** What keeps its sandboxes from the host: told with each of them, and not recorded. */
  readonly isolation?: Isolation | undefined;
  /** Limits that nothing holds its sandboxes to: told like that. */
  readonly notHeld?: SandboxInfo['notHeld'];
  /** What holds its sandboxes to their disks: likewise. */
  readonly diskHeldBy?: DiskHolder | undefined;
  /** Why files of a sandbox are in no snapshot, where its place keeps them all the same. */
  readonly unsaved?: ((id: string) => UnsavedFiles | undefined) | undefined;
  readonly resources: ResourceRules;
  /** Whether somebody deletes a sandbox when its end has come. */
  readonly canExpire?: boolean | undefined;
  readonly records: SandboxRecords;
  /** The caller's to close. @throws busy when somebody else writes to it; not-found; already-exists; storage-full */
  openStore(id: string, options?: { create?: boolean; readOnly?: boolean }): Promise<SandboxStore>;
  /**
   * Makes the store of a new sandbox with the objects of another store and refs of its own; durable, and
   * closed, when it resolves. Only where that takes less than copying them: otherwise it answers `false`,
   * and nothing is made. @throws storage-full
   */
  cloneStore?(
    id: string,
    options: { readonly from: SandboxStore; readonly refs: ReadonlyMap<string, string> },
  ): Promise<boolean>;
  /** @throws busy */
  deleteStore(id: string): Promise<void>;
  /** Refuses programs that it does not run. @throws unsupported, with what to do instead */
  assertRuns(architecture: Architecture): Promise<void>;
  /** @throws asset-unavailable, version-mismatch, corrupt-object; unsupported where it cannot be run */
  loadImage(which: WhichImage, onProgress: (progress: Progress) => void): Promise<Image>;
  /**
   * An image of which a machine of this size stands ready to go on from another's memory, to the first who asks.
   * Absent where none ever does.
   */
  readonly takeReady?: (
    which: Pick<SandboxInfo, 'imageDigest' | 'memoryMiB'>,
  ) => Promise<{ image: Image; tree: SealedTree } | undefined>;
  /**
   * Puts the memory of another's machine where one of this size stands ready to go on from what follows it; nothing
   * where none does. @throws corrupt-object where it does not fit what was put there before
   */
  readonly putAhead?: (
    which: Pick<SandboxInfo, 'imageDigest' | 'memoryMiB'>,
    memory: object,
  ) => Promise<{ image: Image; tree: SealedTree } | undefined>;
  /** The images that can be loaded by name; absent where nobody keeps a list of them. */
  readonly listImages?: () => Promise<readonly HostImage[]>;
  /** The objects of an image, as far as they can be had. @throws asset-unavailable, corrupt-object, version-mismatch */
  openImageToExport(digest: string): Promise<ImageSource>;
  /**
   * Starts the machine of a sandbox. The store is the sandbox's once this resolves.
   * @throws missing-object, corrupt-object, machine-failed, timeout, unsupported
   */
  start(info: SandboxRecord, parts: PlaceStart<Image>): Promise<LocalSandbox>;
}

type PlaceStart<Image extends LoadedImage> = Pick<
  StartParts,
  'store' | 'readOnly' | 'backend' | 'signal' | 'known' | 'handed'
> & { readonly image: Image };
