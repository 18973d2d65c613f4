import type { Architecture } from '../architecture.ts';
import type { SandboxConnection } from './connection.ts';
import type { GitCredentials } from './git.ts';
import type { ProgressListener } from './progress.ts';
import type { SnapshotRef } from './refs.ts';
import type { Network, RuntimeName, SandboxInfo } from './sandbox-info.ts';
import type { ArchiveReader, SnapshotImport } from './transfer.ts';

/** What the names of labels begin with that a fork does not take over from its parent. */
export const ownLabelPrefix = 'own.';

/** The name of the image that a sandbox is made from unless another is asked for. */
export const defaultImage = 'default';

/**
 * A repository that a new sandbox begins with: cloned inside it, as its user, with the whole history. All of it or
 * nothing; where something is at `path` already, it stays and nothing is cloned.
 */
export interface WorkspaceOptions {
  /**
   * A URL of git: `https`, `http` or `ssh`, which need a network, or `file:///` for a repository inside. It holds no
   * password.
   */
  readonly git: string;
  /** A branch or a tag; the repository's own choice by default. */
  readonly ref?: string;
  /** The full id of a commit, in lower-case hex, instead of `ref`; HEAD is detached then. */
  readonly commit?: string;
  /** Where it is put; the directory above has to be there. */
  readonly path?: string;
  /** How to sign in at its server, for this one clone; nothing that lasts has them. */
  readonly credentials?: GitCredentials;
  /** With its submodules, by the protocols that the repository itself is had by. `unsupported` in shells. */
  readonly submodules?: boolean;
}

/**
 * What a new sandbox is to be. Past a maximum it is refused with `limit-exceeded`, and where the runtime
 * has no such limit with `unsupported`; what is left out is as usual there, in a fork as in its parent.
 */
export interface CreateOptions {
  /**
   * What runs it; the backend's usual one by default. `unsupported` says which there are. From a snapshot it is that
   * of the other sandbox.
   */
  readonly runtime?: RuntimeName;
  /** `unsupported` where the runtime begins without one. */
  readonly image?: string;
  readonly name?: string | undefined;
  readonly memoryMiB?: number;
  readonly diskMiB?: number;
  readonly cpuShares?: number;
  readonly pids?: number;
  /** Processors, such as 0.5 or 2; without it, all that the host allows. */
  readonly cpus?: number;
  /** MiB a second of reading, and as many of writing; without it, all that the host allows. */
  readonly ioMiBps?: number;
  readonly network?: Network;
  /**
   * What it reaches of its network `full`, and nothing else of it: names (`pypi.org`), all below a name (`*.debian.org`), and
   * addresses or ranges of IPv4 (`203.0.113.7`, `10.1.2.0/24`), each at one port (`pypi.org:443`) or at all; 64 entries at most.
   * Of a name, it reaches the addresses that it was answered with lately, whoever else has them. Forks have it too; one may
   * have another.
   */
  readonly allow?: readonly string[];
  /**
   * Let programs in its jail make namespaces and mounts of their own, as other sandboxes inside need.
   * Weaker walls: who runs the host has to allow it (else `forbidden`), and only jails know it (else
   * `unsupported`). Forks have it too.
   */
  readonly nested?: boolean;
  /** What everything that runs in it finds in its environment; what one command is told comes on top. Not in `info`. */
  readonly envs?: Readonly<Record<string, string>>;
  /** Where everything that runs in it begins; made where it is not there. */
  readonly cwd?: string;
  /**
   * Directories, by absolute paths, in which changes in the background do not cause a capture, such as caches; the next
   * capture has them. Where the runtime sees each change itself, as in a tab, it has no effect. Forks have it too.
   */
  readonly ignore?: readonly string[];
  /** Labels, by which sandboxes can be listed. */
  readonly metadata?: Readonly<Record<string, string>>;
  /**
   * How long it lives from now on: then it is deleted with its history. `setTimeout` of its backend moves that. A fork
   * lives as long as its parent unless it is told otherwise. `unsupported` in a tab.
   */
  readonly timeoutMs?: number;
  /** A repository to begin with; there is a snapshot without it, and one with it. */
  readonly workspace?: WorkspaceOptions;
  /** Start from a snapshot of another sandbox instead of the image's. */
  readonly from?: SnapshotRef;
}

/** How a sandbox that exists is opened. */
export interface OpenOptions {
  /** Look on, while another page may write. */
  readonly readOnly?: boolean | undefined;
}

export interface StartOptions {
  /**
   * Aborting ends the start, and what it has made is no more; the call then rejects with `aborted`.
   * Once the sandbox is there, it changes nothing.
   */
  readonly signal?: AbortSignal | undefined;
}

/** What a sandbox of a snapshot is told, as a new one is: nothing of that is in the snapshot. */
export type SandboxSettings = Pick<CreateOptions, 'envs' | 'cwd' | 'metadata' | 'network' | 'allow'>;

/** An archive that a new sandbox is to begin with. */
export interface ArchiveImport {
  /** Of what a new sandbox of it begins with, the files are laid over that; the backend's usual one by default. */
  readonly image?: string;
  /** Of the snapshot that they make. */
  readonly label: string;
}

/** The sandbox that a snapshot is to begin. */
export interface SnapshotImportOptions extends SandboxSettings {
  /**
   * What comes is no snapshot but a tar archive, as `TransferFacet.exportTar` makes one with `since`: its files, directories
   * and links are laid over the files of an image, or over those of a runtime that has none. Not with `imageDigest`.
   */
  readonly archive?: ArchiveImport;
  /** What is to run it; by default the first that begins as the snapshot does, with an image or without one. */
  readonly runtime?: RuntimeName;
  /** The image that the snapshot builds on, if any: its objects are here already, and do not come. */
  readonly imageDigest?: string;
  /** Where there is no image of that digest: one of this name will do, if its files are these. */
  readonly imageFiles?: {
    readonly name: string;
    readonly tree: string;
    /** All objects come, those of the image too: where it is not, the sandbox is made of the receiver's usual one. */
    readonly come?: boolean;
  };
  /** What its programs are for (i386 by default): a receiver that cannot run them says so at once. */
  readonly architecture?: Architecture;
  readonly name: string;
  /** As usual at the receiver when left out; cut to the most that it allows, as is the disk. */
  readonly memoryMiB?: number;
  readonly diskMiB?: number;
}

/** An image that a place has ready to make sandboxes from. */
export interface HostImage {
  readonly name: string;
  /** Of its manifest. */
  readonly digest: string;
  readonly architecture: Architecture;
  /** Whether a sandbox has it that names none. */
  readonly isDefault: boolean;
}

/** Where sandboxes live: this tab's origin, or a bridge. */
export interface SandboxBackend {
  /** @throws unsupported, limit-exceeded, invalid-argument, asset-unavailable, storage-full, aborted */
  create(ask: CreateOptions & StartOptions, onProgress: ProgressListener): Promise<SandboxConnection>;
  /** @throws busy when another tab holds it and `readOnly` is not set; aborted */
  open(
    ask: OpenOptions & StartOptions & { readonly id: string },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection>;
  /** A sandbox that someone else has open, used together with them. @throws not-found, unsupported */
  connect(ask: { readonly id: string }): Promise<SandboxConnection>;
  /**
   * The saved files of a sandbox that need not be open, at `at` (as `SnapshotRef`) or HEAD, without starting it: what of
   * its image is not to be had is left out and named.
   * @throws not-found; missing-object, corrupt-object or asset-unavailable when nothing can be read
   */
  exportTar(ask: { readonly id: string; readonly at?: string | undefined }): Promise<ArchiveReader>;
  /**
   * Takes in a snapshot of another backend, under the id that it has there, as the beginning of a new sandbox; or an archive.
   * @throws asset-unavailable when the image is not to be had here; unsupported, busy, invalid-argument, storage-full
   */
  openImport(ask: SnapshotImportOptions): Promise<SnapshotImport>;
  list(): Promise<SandboxInfo[]>;
  /** The images that there are, by name; absent where nobody keeps a list of them, as beside a page. */
  images?(): Promise<readonly HostImage[]>;
  delete(ask: { readonly id: string }): Promise<void>;
  /**
   * Has a sandbox live for `timeoutMs` from now on, or until it is deleted, with `undefined`. Absent where sandboxes have
   * no end of life. @throws not-found, unsupported, invalid-argument
   */
  setTimeout?(ask: { readonly id: string; readonly timeoutMs?: number | undefined }): Promise<SandboxInfo>;
  /**
   * Gives a sandbox another name, open or not; connections that are open go on telling the one before. Absent where a
   * sandbox keeps the name that it was made with. @throws invalid-argument, not-found
   */
  rename?(ask: { readonly id: string; readonly name: string }): Promise<SandboxInfo>;
}
