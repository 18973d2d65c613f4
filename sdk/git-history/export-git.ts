import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { toByteString } from '../../tree/content/byte-string.ts';
import { WorkSlices } from '../../tree/next-task.ts';
import { encodeTarHeader } from '../../tree/tar/encode-tar-header.ts';
import { tarBlockBytes } from '../../tree/tar/tar-entry.ts';
import type { Archive } from '../archive.ts';
import type { Sandbox } from '../sandbox.ts';
import { commitText } from './commit-text.ts';
import { findChanged } from './find-changed.ts';
import { isGitTag } from './git-name.ts';
import { deflateObject, type GitObject, gitObject } from './git-object.ts';
import { GitTree } from './git-tree.ts';

export interface GitExportOptions {
  /** The branch's last snapshot: an id, a prefix of one, a tag or `HEAD`, which it is by default. */
  readonly from?: string;
  /** An absolute path of a directory: what is below it, by paths from there. All files by default. */
  readonly path?: string;
}

/** A path that is in a snapshot, or several, and not in the repository. */
export interface OmittedPath {
  /** From the root of the repository; with a slash at its end, an empty directory. */
  readonly path: string;
  readonly why: string;
}

const encoder = new TextEncoder();
const config = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/**
 * A branch of a sandbox's history as a repository of git: the tar of a bare one, whose branch `main` has a commit for each
 * snapshot, with its parents, its cause as the message, and its time. Tags of snapshots are tags. It is made while it is
 * read: of each snapshot, the directory that has all that changed.
 * @throws not-found for a snapshot, or a path that `from` does not have
 */
export async function exportGit(sandbox: Sandbox, options: GitExportOptions = {}): Promise<GitExport> {
  const { from = 'HEAD' } = options;
  const path = plainPath(options.path);
  const tip = await sandbox.history.resolve(from);
  const { snapshots } = await sandbox.history.get();
  if (path !== undefined) await sandbox.files.list(path, { at: tip });
  return new GitExport(sandbox, { snapshots: branchOf(snapshots, tip), path });
}

/** The pieces of the tar: `for await` them, once. Leaving the loop lets go of what they are made from. */
export class GitExport implements AsyncIterable<Uint8Array> {
  readonly #sandbox: Sandbox;
  readonly #snapshots: readonly SnapshotInfo[];
  readonly #path: string | undefined;
  readonly #omitted = new Map<string, OmittedPath>();
  #omittedCount = 0;
  #isBegun = false;
  readonly #slices = new WorkSlices();
  readonly #written = new Set<string>();
  /** Trees and commits of the snapshots so far. */
  readonly #done = new Map<SnapshotInfo['id'], { readonly tree: string; readonly commit: string }>();

  /** The files of the snapshot that was done last: the next one mostly differs in a few. */
  #last: { readonly id: SnapshotInfo['id']; readonly files: GitTree } | undefined;

  constructor(
    sandbox: Sandbox,
    { snapshots, path }: { snapshots: readonly SnapshotInfo[]; path: string | undefined },
  ) {
    this.#sandbox = sandbox;
    this.#snapshots = snapshots;
    this.#path = path;
  }

  /** What git has no place for, and files too large, as far as it has been read; cut at `limits.archiveMissing`. */
  get omitted(): readonly OmittedPath[] {
    return [...this.#omitted.values()];
  }

  /** How often something was left out, in all snapshots. */
  get omittedCount(): number {
    return this.#omittedCount;
  }

  /** @throws missing-object, corrupt-object, connection-lost, limit-exceeded */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    if (this.#isBegun) {
      throw new SandboxError('invalid-argument', 'Cannot read the repository again: export another');
    }
    this.#isBegun = true;
    yield* textFile('HEAD', 'ref: refs/heads/main\n');
    yield* textFile('config', config);
    let tip = '';
    for (const snapshot of this.#snapshots) {
      const tree = yield* this.#tree(snapshot);
      const parents = snapshot.parents.flatMap((id) => this.#done.get(id)?.commit ?? []);
      const text = commitText(snapshot, {
        tree,
        parents: [...new Set(parents)],
        sandbox: this.#sandbox.info,
      });
      const commit = gitObject('commit', encoder.encode(text));
      yield* this.#write(commit);
      this.#done.set(snapshot.id, { tree, commit: commit.id });
      for (const tag of snapshot.tags)
        if (isGitTag(tag)) yield* textFile(`refs/tags/${tag}`, `${commit.id}\n`);
        else this.#onOmitted(`refs/tags/${tag}`, 'git has no tags of that name');
      tip = commit.id;
    }
    yield* textFile('refs/heads/main', `${tip}\n`);
    yield new Uint8Array(2 * tarBlockBytes);
  }

  /** Writes the trees and files of a snapshot that are new. */
  async *#tree(snapshot: SnapshotInfo): AsyncGenerator<Uint8Array, string> {
    const [parent] = snapshot.parents;
    const before = parent === undefined ? undefined : this.#done.get(parent);
    const changed =
      before && parent !== undefined
        ? await findChanged(this.#sandbox, { from: parent, to: snapshot.id, path: this.#path })
        : [];
    const last = this.#last && this.#last.id === parent ? this.#last.files : undefined;
    if (before && changed === undefined) {
      if (last) this.#last = { id: snapshot.id, files: last };
      return before.tree;
    }
    this.#last = undefined;
    const within = last && changed ? changed : [];
    const files = last && within.length > 0 ? last : new GitTree(this.#onOmitted);
    files.replace(within.map(toByteString));
    const archive = await this.#archive(snapshot.id, within);
    if (archive) {
      for await (const piece of archive) for (const object of files.push(piece)) yield* this.#write(object);
      for (const path of archive.missing) this.#onOmitted(path.replace(/^\/+/, ''), 'it cannot be read');
    }
    const tree = yield* this.#all(files.trees());
    this.#last = { id: snapshot.id, files };
    return tree;
  }

  async *#all(objects: Generator<GitObject, string>): AsyncGenerator<Uint8Array, string> {
    let next = objects.next();
    for (; !next.done; next = objects.next()) yield* this.#write(next.value);
    return next.value;
  }

  /** `undefined` where the snapshot does not have the directory. */
  async #archive(at: SnapshotInfo['id'], within: readonly string[]): Promise<Archive | undefined> {
    const path = [this.#path ?? '', ...within].join('/');
    try {
      return await this.#sandbox.exportTar({ at, ...(path === '' ? {} : { path }) });
    } catch (error) {
      const { code } = SandboxError.from(error);
      if (path !== '' && (code === 'not-found' || code === 'invalid-argument')) return undefined;
      throw error;
    }
  }

  async *#write(object: GitObject): AsyncGenerator<Uint8Array> {
    const { id } = object;
    if (this.#written.has(id)) return;
    if (this.#written.size >= limits.gitExportObjects) {
      throw new SandboxError(
        'limit-exceeded',
        `Cannot export to git: there are more than ${limits.gitExportObjects} objects`,
      );
    }
    this.#written.add(id);
    yield* tarFile(`objects/${id.slice(0, 2)}/${id.slice(2)}`, await deflateObject(object, this.#slices));
  }

  readonly #onOmitted = (path: string, why: string): void => {
    this.#omittedCount++;
    if (this.#omitted.size < limits.archiveMissing) this.#omitted.set(path, { path, why });
  };
}

/** A snapshot and those that it comes from, each after its parents. */
function branchOf(snapshots: readonly SnapshotInfo[], tip: SnapshotInfo['id']): SnapshotInfo[] {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]));
  const branch = new Set<SnapshotInfo>();
  const begun = new Set<SnapshotInfo['id']>();
  const ahead = [tip];
  while (ahead.length > 0) {
    const id = ahead.at(-1) as SnapshotInfo['id'];
    const snapshot = byId.get(id);
    if (snapshot && !begun.has(id)) {
      begun.add(id);
      ahead.push(...snapshot.parents.filter((parent) => !begun.has(parent)));
      continue;
    }
    ahead.pop();
    if (snapshot) branch.add(snapshot);
  }
  return [...branch];
}

/** `undefined` for all files. @throws invalid-argument */
function plainPath(path: string | undefined): string | undefined {
  const names = (path ?? '').split('/').filter((name) => name !== '');
  if (names.includes('.') || names.includes('..') || (path !== undefined && !path.startsWith('/')))
    throw new SandboxError(
      'invalid-argument',
      `Cannot export to git: "${path}" is no absolute path of plain names`,
    );
  return names.length === 0 ? undefined : `/${names.join('/')}`;
}

function textFile(path: string, text: string): Generator<Uint8Array> {
  return tarFile(path, encoder.encode(text));
}

function* tarFile(path: string, bytes: Uint8Array): Generator<Uint8Array> {
  yield encodeTarHeader({
    type: 'file',
    path,
    permissions: 0o644,
    uid: 0,
    gid: 0,
    mtimeSeconds: 0,
    mtimeNanoseconds: 0,
    sizeBytes: bytes.length,
    linkPath: '',
    major: 0,
    minor: 0,
    xattrs: new Map(),
  });
  if (bytes.length > 0) yield bytes;
  const padding = -bytes.length & (tarBlockBytes - 1);
  if (padding > 0) yield new Uint8Array(padding);
}
