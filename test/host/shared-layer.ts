import { mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The image unpacked, shared by the tests of one run: unpacking it takes as long as most files of tests. The first of
 * them does it, and those that come after it borrow what it has unpacked.
 */
const variable = 'COPPICE_TEST_LAYERS';
/** An image's layer, by its tree; what other trees have above it has two names. */
const imageLayer = /^[0-9a-f]{64}$/;

/** Once before all tests of this host (`globalSetup` of Vitest). */
export async function setup(): Promise<void> {
  process.env[variable] = await mkdtemp(join(tmpdir(), 'coppice-layers-'));
}

/** Once after them. */
export async function teardown(): Promise<void> {
  const shared = process.env[variable];
  if (shared !== undefined) await rm(shared, { recursive: true, force: true });
}

/** Links the image's layer into the folder of a host with overlays, if an earlier file has unpacked it. It is read only. */
export async function borrowLayer(folder: string): Promise<void> {
  const shared = process.env[variable];
  const names = shared === undefined ? [] : await readdir(shared);
  if (shared === undefined || names.length === 0) return;
  await mkdir(layersOf(folder), { recursive: true, mode: 0o700 });
  for (const name of names) await symlink(join(shared, name), join(layersOf(folder), name));
}

/** Keeps what a host, closed by now, has unpacked in its folder, for those that come after it. */
export async function leaveLayer(folder: string): Promise<void> {
  const shared = process.env[variable];
  if (shared === undefined) return;
  const layers = await readdir(layersOf(folder), { withFileTypes: true }).catch(() => []);
  const known = new Set(await readdir(shared));
  for (const entry of layers) {
    if (!entry.isDirectory() || !imageLayer.test(entry.name) || known.has(entry.name)) continue;
    await rename(join(layersOf(folder), entry.name), join(shared, entry.name)).catch(unlessThere);
  }
}

/** Two may leave the same at once: the first is kept. */
function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}

/** Where root's overlays have their layers. */
function layersOf(folder: string): string {
  return join(folder, 'roots', 'overlay-trusted', 'layers');
}
