import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPrograms, type HostPrograms } from '../../bridge-server/main/build-programs.ts';
import { type Host, type HostOptions, openHost } from '../../bridge-server/main/open-host.ts';
import { type RunningBridge, runBridge } from '../../bridge-server/main/run-bridge.ts';
import type { RootKind } from '../../bridge-server/roots/open-root-maker.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { placeImage } from '../../host/images/place-image.ts';
import { createProgress } from '../../host/progress.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { Isolation } from '../../protocol/sandbox/sandbox-info.ts';
import { type BtrfsVolume, openBtrfsVolume } from '../fixtures/btrfs-volume.ts';
import { builtImage } from '../fixtures/built-image.ts';
import { runsLong } from '../runs-long.ts';
import { runnableImage } from './runnable-image.ts';
import { borrowLayer, leaveLayer } from './shared-layer.ts';

/** What a host is opened from, in a temporary folder with an image that runs here, which is gone when this is disposed of. */
export interface TestFolder extends AsyncDisposable {
  readonly options: HostOptions;
}

export interface TestFolderOptions {
  /** The folder that it is made in; that of the system's temporary files if not given. */
  readonly place?: string | undefined;
  /**
   * `shared`: overlays of root may find the image unpacked, and leave it to those that come after; the usual. `borrowed`:
   * they may find it, for a bridge that is killed, which may leave its own in use. `own`: for a place on another file
   * system and another user.
   */
  readonly layer?: 'shared' | 'borrowed' | 'own';
}

/** The C programs of this checkout, looked for once in a process, which takes trying the compiler. */
let programs: Promise<HostPrograms> | undefined;

/** Makes one. */
export async function makeTestFolder(
  snapshots?: RootKind,
  { place = tmpdir(), layer = 'shared' }: TestFolderOptions = {},
): Promise<TestFolder> {
  const image = await builtImage(runnableImage);
  programs ??= buildPrograms({ cache: new CacheFolder(cachePath()), progress: createProgress() });
  const built = await programs;
  const folder = await mkdtemp(join(place, 'coppice-host-'));
  await placeImage(image, { to: join(folder, 'images'), isDefault: true });
  if (layer !== 'own') await borrowLayer(folder);
  return {
    options: { folder, snapshots, ...built },
    [Symbol.asyncDispose]: async () => {
      if (layer === 'shared') await leaveLayer(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A bridge on a free port of the loopback that says nothing. */
export function runTestBridge(options: HostOptions): Promise<RunningBridge> {
  return runBridge({
    openHost: (observed) => openHost({ ...observed, ...options }),
    host: '127.0.0.1',
    port: 0,
    allowedOrigins: [],
    allowedHosts: [],
    doctor: async () => [],
    log: { write: () => undefined },
  });
}

/** A host in a folder of its own. */
export async function openTestHost(snapshots: RootKind, isolation?: Isolation): Promise<Host> {
  await using stack = new AsyncDisposableStack();
  const volume = stack.use(await openVolume(snapshots));
  const layer = snapshots === 'overlay' ? 'shared' : 'own';
  const { options } = stack.use(await makeTestFolder(snapshots, { place: volume?.folder, layer }));
  const host = stack.use(await openHost({ ...options, isolation }));
  const owned = stack.move();
  return { ...host, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** What a host's roots need or, of copies in the sample, what shares the blocks of copies: each is of the whole image. */
async function openVolume(snapshots: RootKind): Promise<BtrfsVolume | undefined> {
  if (snapshots === 'btrfs') return openBtrfsVolume();
  if (snapshots !== 'copy' || runsLong) return undefined;
  try {
    return await openBtrfsVolume();
  } catch (error) {
    if (SandboxError.from(error).code === 'unsupported') return undefined;
    throw error;
  }
}
