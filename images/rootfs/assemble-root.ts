import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import type { ArchivePackage } from '../../host/debian/archive-package.ts';
import { readPackage } from '../../host/debian/fetch-packages.ts';
import { type DebEntry, readDeb } from '../../host/debian/read-deb.ts';
import type { StepReport } from '../../host/progress.ts';
import type { FileTree } from '../../tree/live/file-tree.ts';
import type { Profile } from '../profiles/profile.ts';
import { applyEffects } from './apply-effects.ts';
import type { InstalledPackage } from './effects/effect.ts';
import { mergeUsr } from './effects/usr-merge.ts';
import { createKeepRule } from './keep-rule.ts';
import { libraryLayouts } from './library-layout.ts';
import { makeHome } from './make-home.ts';
import { type BytecodeOptions, type BytecodeOrigin, compilePython } from './python-bytecode.ts';
import { RootWriter } from './root-writer.ts';

export interface AssembleOptions {
  readonly profile: Profile;
  readonly cache: CacheFolder;
  readonly report: StepReport;
  /** Folders of this repository that are laid over the packages, root-owned. */
  readonly overlays: readonly string[];
  readonly hostPackages: BytecodeOptions['hostPackages'];
}

/**
 * Fills an empty tree with an image's files: packages in the order given, then the profile's
 * effects, then the overlays. The same packages give the same tree wherever it runs: nothing of
 * the host's clock, users or locale gets in. `bytecode`: who compiled Python's modules.
 */
export async function assembleRoot(
  tree: FileTree,
  packages: readonly ArchivePackage[],
  options: AssembleOptions,
): Promise<{ bytecode: BytecodeOrigin }> {
  const { profile, cache, report, hostPackages } = options;
  const root = new RootWriter(tree);
  const keeps = createKeepRule(profile);
  const layout = libraryLayouts[profile.architecture];
  if (profile.effects.includes('usr-merge')) mergeUsr(root, layout);
  const installed: InstalledPackage[] = [];
  const totalBytes = packages.reduce((sum, one) => sum + one.sizeBytes, 0);
  let doneBytes = 0;
  for (const one of packages) {
    const deb = await readDeb(await readPackage(one, cache));
    const kept = deb.entries.filter(({ path }) => keeps(path));
    for (const entry of kept) place(root, entry);
    const paths = kept.map(({ path }) => path);
    // The bytes are in the tree now; a hundred opened packages at once would be too many.
    installed.push({ package: one, deb: { ...deb, entries: [] }, paths });
    doneBytes += one.sizeBytes;
    report.bytes(doneBytes, totalBytes);
  }
  applyEffects({ root, profile, installed });
  let bytecode: BytecodeOrigin = { type: 'image' };
  if (profile.effects.includes('python-bytecode')) {
    report.detail('compile Python modules');
    bytecode = await compilePython(root, { layout, cache, hostPackages });
  }
  for (const overlay of options.overlays) await copyFolder(root, overlay, '');
  makeHome(root);
  root.finish();
  return { bytecode };
}

function place(root: RootWriter, entry: DebEntry): void {
  const { path, mode: permissions, uid, gid, mtimeSeconds } = entry;
  const attributes = { permissions, uid, gid, mtimeSeconds };
  root.epochSeconds = Math.max(root.epochSeconds, mtimeSeconds);
  if (entry.type === 'directory') root.directory(path, attributes);
  else if (entry.type === 'symlink') root.symlink(path, entry.target, attributes);
  else if (entry.type === 'hardlink') root.hardlink(path, entry.target);
  else root.file(path, entry.bytes, attributes);
}

/** Only the executable bit of the owner is taken over: the rest of a checkout's modes is its user's umask. */
async function copyFolder(root: RootWriter, folder: string, at: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const source = join(folder, entry.name);
    const path = `${at}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!root.find(path)) root.directory(path);
      await copyFolder(root, source, path);
    } else {
      const executable = ((await stat(source)).mode & 0o100) !== 0;
      root.file(path, await readFile(source), { permissions: executable ? 0o755 : 0o644 });
    }
  }
}
