import type { FileEntry } from '../trees/file-entries.ts';
import type { ProjectFiles } from './project-files.ts';
import type { PackageNode } from './tree/package-tree.ts';

/** Where packages are unpacked before they get their places; left over from an install that was killed, it is removed. */
const staging = '.coppice-modules';

/**
 * Puts a new `node_modules` in the place of the old one. Until its name changes nothing has, and no room is needed then.
 * @throws SandboxError
 */
export async function replaceModules(
  project: ProjectFiles,
  {
    entries,
    extra,
    signal,
  }: {
    /** Of `node_modules`. */
    readonly entries: readonly FileEntry[];
    /** Files of the project. */
    readonly extra: readonly FileEntry[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  await staged(project, { entries: [...entries, ...extra], signal }, async () => {
    await project.remove('node_modules');
    if (entries.length > 0) await project.rename(`${staging}/node_modules`, 'node_modules');
    for (const { path } of extra) await project.rename(`${staging}/${path}`, path);
  });
}

/**
 * Replaces some packages. An install that ends in the midst leaves no list of what is installed, so that the next one makes
 * all anew.
 * @throws SandboxError
 */
export async function replacePackages(
  project: ProjectFiles,
  {
    entries,
    fresh,
    gone,
    rest,
    signal,
  }: {
    readonly entries: readonly FileEntry[];
    readonly fresh: readonly PackageNode[];
    /** Locations. */
    readonly gone: readonly string[];
    /** Links, lists and files of the project. */
    readonly rest: readonly FileEntry[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const isFresh = new Set(fresh);
  const tops = fresh.filter(({ parent }) => parent === undefined || !isFresh.has(parent));
  await staged(project, { entries, signal }, async () => {
    await project.remove('node_modules/.package-lock.json');
    await project.remove('node_modules/.bin');
    for (const location of [...gone, ...tops.map((node) => node.location)]) await project.remove(location);
    for (const { location, source } of tops) {
      if (source.type === 'folder') continue;
      await project.makeDirectory(location.slice(0, location.lastIndexOf('/')));
      await project.rename(`${staging}/${location}`, location);
    }
    await project.unpack(rest);
  });
}

/** Once everything is unpacked the install is no longer stopped: what is left takes moments. */
async function staged(
  project: ProjectFiles,
  { entries, signal }: { readonly entries: readonly FileEntry[]; readonly signal: AbortSignal },
  place: () => Promise<void>,
): Promise<void> {
  await project.remove(staging);
  try {
    if (entries.length > 0) {
      const moved = entries.map((entry) => ({ ...entry, path: `${staging}/${entry.path}` }));
      await project.unpack(moved, signal);
    }
    signal.throwIfAborted();
    await place();
  } finally {
    await project.remove(staging).catch(() => undefined); // The next install does it.
  }
}
