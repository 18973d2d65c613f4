import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The image unpacked, shared by the tests of one run: unpacking it takes as long as most files of tests. The first of
 * them does it, and those that come after it borrow what it has unpacked.
 */
const variable = 'COPPICE_TEST_SHARED';
/** An image's layer, by its tree; what other trees have above it has two names. */
const imageLayer = /^[0-9a-f]{64}$/;

/** Where overlays have their layers, of root, and of an ordinary user with a range of ids or one id: whose files they are differs. */
type OverlayFolder = 'overlay-trusted' | 'overlay-ids' | 'overlay-user';

interface LayerOptions {
  readonly of?: OverlayFolder;
  /** Whose the folders are to be. */
  readonly owner?: number;
}

/** Once before all tests of a group (`globalSetup` of Vitest, and of Playwright by `test/e2e/share-layer.ts`). */
export async function setup(): Promise<void> {
  const shared = await mkdtemp(join(tmpdir(), 'coppice-shared-'));
  // An ordinary user finds what it knows the name of.
  await chmod(shared, 0o711);
  process.env[variable] = shared;
}

/** Once after them. */
export async function teardown(): Promise<void> {
  const shared = process.env[variable];
  if (shared !== undefined) await rm(shared, { recursive: true, force: true });
}

/** What all tests of this run share. @throws outside of a run */
export function sharedFolder(): string {
  const shared = findSharedFolder();
  if (shared === undefined) throw new Error('There is no run of tests that shares files');
  return shared;
}

/** `sharedFolder`, or `undefined` outside of a run. */
export function findSharedFolder(): string | undefined {
  return process.env[variable];
}

/** Links the image's layer into the folder of a host with overlays, if an earlier file has unpacked it. It is read only. */
export async function borrowLayer(
  folder: string,
  { of = 'overlay-trusted', owner }: LayerOptions = {},
): Promise<void> {
  const shared = sharedLayers(of);
  const names = shared === undefined ? [] : await readdir(shared).catch(() => []);
  if (shared === undefined || names.length === 0) return;
  let path = folder;
  for (const name of ['roots', of, 'layers']) {
    path = join(path, name);
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (owner !== undefined) await chown(path, owner, owner);
  }
  for (const name of names) await symlink(join(shared, name), join(path, name));
}

/** Keeps what a host, closed by now, has unpacked in its folder, for those that come after it. */
export async function leaveLayer(
  folder: string,
  { of = 'overlay-trusted' }: Pick<LayerOptions, 'of'> = {},
): Promise<void> {
  const shared = sharedLayers(of);
  if (shared === undefined) return;
  await mkdir(shared, { recursive: true });
  const layers = join(folder, 'roots', of, 'layers');
  const known = new Set(await readdir(shared));
  for (const entry of await readdir(layers, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isDirectory() || !imageLayer.test(entry.name) || known.has(entry.name)) continue;
    await rename(join(layers, entry.name), join(shared, entry.name)).catch(unlessThere);
  }
}

/** Two may leave the same at once: the first is kept. */
function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}

/** Outside of a run there are none. */
function sharedLayers(of: OverlayFolder): string | undefined {
  const shared = process.env[variable];
  return shared === undefined ? undefined : join(shared, of);
}
