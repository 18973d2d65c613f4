import { hash } from 'node:crypto';
import { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { TreeEntry } from '../../tree/objects/tree-entry.ts';
import type { MakeOptions, RootFurnisher, RootName, UnpackListener, UnpackProgress } from '../contract.ts';
import type { DiskQuotas } from './disk-quotas.ts';
import type { HostAbilities } from './supported-metadata.ts';
import { dressDirectory } from './unpack/dress-directory.ts';
import { type TreeMember, treeMembers } from './unpack/tree-members.ts';
import { unpackMembers } from './unpack/unpack-members.ts';

export interface HostLimits {
  readonly abilities: HostAbilities;
  /** The program that finds what changed in a root (`buildHostProgram`). */
  readonly scanner: string;
  /** The program that makes the files of a tree (`buildHostProgram`). */
  readonly unpacker: string;
  /** File content that one tree may have. */
  readonly maxBytes: number;
  /** Set where jails have no namespaces. */
  readonly furnisher?: RootFurnisher | undefined;
  /** Set where the kernel holds roots to their disks. */
  readonly quotas?: DiskQuotas | undefined;
}

/** What a maker of roots is opened with. */
export interface MakerOptions extends HostLimits {
  /** Roots of an earlier process that are to stay, for `RootMaker.adopt`. */
  readonly spared: readonly RootName[];
}

/** Where one root's trees come from, and how they get to disk. Owns nothing. */
export class RootSource {
  /** The tree that most others differ little from. */
  readonly base: ObjectId;
  readonly signal: AbortSignal | undefined;
  /** `MakeOptions.sandbox` */
  readonly sandbox: string | undefined;
  /** `LayerOptions.isAhead` */
  readonly isAhead: boolean;
  readonly #read: (id: ObjectId) => Uint8Array;
  readonly #host: HostLimits;
  readonly #onUnpack: UnpackListener | undefined;
  #unpacked: UnpackProgress = { files: 0, bytes: 0 };

  constructor(
    { base, read, signal, sandbox, onUnpack }: MakeOptions,
    host: HostLimits,
    { isAhead = false }: { readonly isAhead?: boolean } = {},
  ) {
    this.base = base;
    this.sandbox = sandbox;
    this.signal = signal;
    this.#read = read;
    this.isAhead = isAhead;
    this.#host = host;
    this.#onUnpack = onUnpack;
  }

  /**
   * An object, proven to be what its id names: layers are shared by sandboxes, and none may put into
   * another's what only it believes. @throws corrupt-object, and what the sandbox's own read throws
   */
  read(id: ObjectId): Uint8Array {
    const bytes = this.#read(id);
    if (hash('sha256', bytes, 'hex') === id) return bytes;
    throw new SandboxError('corrupt-object', `Object ${id.slice(0, 12)} is damaged`, { details: { id } });
  }

  /** What makes the files of `from` those of `to`. @throws as `treeMembers` */
  members(from: ObjectId | undefined, to: ObjectId): AsyncGenerator<TreeMember> {
    return treeMembers(async (id) => this.read(id), { from, to, maxBytes: this.#host.maxBytes });
  }

  /** Gives a directory of ours an entry's metadata, if that takes no process: `dressDirectory`. */
  dress(path: string, entry: TreeEntry): boolean {
    return dressDirectory(path, entry, this.#host.abilities);
  }

  /** Makes members in a folder of ours. @throws as `unpackMembers` */
  async unpack(
    folder: string,
    options: {
      readonly members: AsyncIterable<TreeMember>;
      readonly whiteouts?: boolean;
      readonly signal?: AbortSignal | undefined;
      readonly onUnpack?: UnpackListener | undefined;
    },
  ): Promise<void> {
    const { members, whiteouts = false, signal, onUnpack } = options;
    const { abilities, unpacker } = this.#host;
    await unpackMembers(folder, members, { unpacker, source: this, abilities, whiteouts, signal, onUnpack });
  }

  /** To be told of one of the things that the root needs, perhaps several at a time: the client is told of their sum. */
  unpackListener(): UnpackListener {
    let before: UnpackProgress = { files: 0, bytes: 0 };
    return (now) => {
      const { files, bytes } = this.#unpacked;
      this.#unpacked = { files: files + now.files - before.files, bytes: bytes + now.bytes - before.bytes };
      before = now;
      this.#onUnpack?.(this.#unpacked);
    };
  }
}
