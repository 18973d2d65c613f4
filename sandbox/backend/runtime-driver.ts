import type { Architecture } from '../../protocol/architecture.ts';
import type { ImageManifest } from '../../protocol/image-manifest.ts';
import type { ImageSource } from '../../protocol/image-source.ts';
import type { HostImage } from '../../protocol/sandbox/backend.ts';
import type { Progress } from '../../protocol/sandbox/progress.ts';
import type { DiskHolder, Isolation, RuntimeName, SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type { LocalSandbox } from '../local-sandbox.ts';
import type { SandboxRecord } from '../sandbox-settings.ts';
import type { StartParts } from '../start-sandbox.ts';
import type { ResourceRules } from './resources.ts';

/** An image by its name (the newest) or by the digest of its manifest (one that a sandbox was made from). */
export type WhichImage = { readonly name: string } | { readonly digest: string };

/** An image whose metadata is at hand. */
export interface LoadedImage {
  readonly manifest: ImageManifest;
  readonly digest: string;
  readonly source: ImageSource;
}

/** An image of which a machine stands ready, and its tree. */
interface ReadyImage<Image extends LoadedImage = LoadedImage> {
  readonly image: Image;
  readonly tree: SealedTree;
}

/** Runs the sandboxes of one runtime on its host. */
export type RuntimeDriver = ImageDriver | FilesDriver;

interface Driver {
  readonly runtime: RuntimeName;
  /** What keeps its sandboxes from the host: told with each of them, and not recorded. */
  readonly isolation?: Isolation | undefined;
  /** Limits that nothing holds its sandboxes to: told like that. */
  readonly notHeld?: SandboxInfo['notHeld'];
  /** What holds its sandboxes to their disks: likewise. */
  readonly diskHeldBy?: DiskHolder | undefined;
  readonly resources: ResourceRules;
  /** Whether git in its sandboxes talks to servers by itself, without a network of the sandbox. */
  readonly reachesGit?: boolean | undefined;
}

/** Its sandboxes begin with the tree of an image. */
export interface ImageDriver<Image extends LoadedImage = LoadedImage> extends Driver {
  readonly images: DriverImages<Image>;
  /**
   * Starts the machine of a sandbox, on an image that this driver loaded. The store is the sandbox's once this resolves.
   * @throws missing-object, corrupt-object, machine-failed, timeout, unsupported
   */
  start(info: SandboxRecord, parts: DriverStart & { readonly image: Image }): Promise<LocalSandbox>;
}

/** Its sandboxes begin without an image: all of their files are in their own stores. */
export interface FilesDriver extends Driver {
  readonly images?: undefined;
  /** What a new one begins with, read once for each; by default an empty directory. */
  firstFiles?(): TreeSnapshot;
  /** As that of an `ImageDriver`. @throws missing-object, corrupt-object, machine-failed, timeout, unsupported */
  start(info: SandboxRecord, parts: DriverStart): Promise<LocalSandbox>;
}

export type DriverStart = Pick<
  StartParts,
  'store' | 'readOnly' | 'backend' | 'signal' | 'onProgress' | 'known' | 'handed' | 'begins'
>;

/** The images that a runtime can have. */
export interface DriverImages<Image extends LoadedImage = LoadedImage> {
  /** Refuses programs that it does not run. @throws unsupported, with what to do instead */
  assertRuns(architecture: Architecture): Promise<void>;
  /** @throws asset-unavailable, version-mismatch, corrupt-object; unsupported where it cannot be run */
  load(which: WhichImage, onProgress: (progress: Progress) => void): Promise<Image>;
  /** Those that can be loaded by name; absent where nobody keeps a list of them. */
  list?(): Promise<readonly HostImage[]>;
  /** The objects of an image, as far as they can be had. @throws asset-unavailable, corrupt-object, version-mismatch */
  openToExport(digest: string): Promise<ImageSource>;
  /**
   * An image of which a machine of this size stands ready to go on from another's memory, to the first who asks.
   * Absent where none ever does.
   */
  takeReady?(which: Pick<SandboxInfo, 'imageDigest' | 'memoryMiB'>): Promise<ReadyImage<Image> | undefined>;
  /**
   * Puts the memory of another's machine where one of this size stands ready to go on from what follows it; nothing
   * where none does. @throws corrupt-object where it does not fit what was put there before
   */
  putAhead?(
    which: Pick<SandboxInfo, 'imageDigest' | 'memoryMiB'>,
    memory: object,
  ): Promise<ReadyImage<Image> | undefined>;
}
