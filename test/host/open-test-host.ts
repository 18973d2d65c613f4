import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPrograms } from '../../bridge-server/main/build-programs.ts';
import { type Host, type HostOptions, openHost } from '../../bridge-server/main/open-host.ts';
import { type RunningBridge, runBridge } from '../../bridge-server/main/run-bridge.ts';
import type { RootKind } from '../../bridge-server/roots/open-root-maker.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { placeImage } from '../../host/images/place-image.ts';
import { createProgress } from '../../host/progress.ts';
import { buildImage } from '../../images/build-image.ts';
import type { Isolation } from '../../protocol/sandbox/sandbox-info.ts';
import { openBtrfsVolume } from '../fixtures/btrfs-volume.ts';
import { runnableImage } from './runnable-image.ts';

/** What a host is opened from, in a temporary folder with an image that runs here, which is gone when this is disposed of. */
export interface TestFolder extends AsyncDisposable {
  readonly options: HostOptions;
}

/** Makes one below `place`. */
export async function makeTestFolder(snapshots?: RootKind, place: string = tmpdir()): Promise<TestFolder> {
  const cache = new CacheFolder(cachePath());
  const progress = createProgress();
  const image = await buildImage(runnableImage, { cache, progress, golden: true });
  const programs = await buildPrograms({ cache, progress });
  const folder = await mkdtemp(join(place, 'coppice-host-'));
  await placeImage(image, { to: join(folder, 'images'), isDefault: true });
  return {
    options: { folder, snapshots, ...programs },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
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
  const place = snapshots === 'btrfs' ? stack.use(await openBtrfsVolume()).folder : undefined;
  const { options } = stack.use(await makeTestFolder(snapshots, place));
  const host = stack.use(await openHost({ ...options, isolation }));
  const owned = stack.move();
  return { ...host, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
