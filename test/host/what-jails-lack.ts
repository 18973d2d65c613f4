import { tmpdir } from 'node:os';
import { buildHostProgram } from '../../bridge-server/programs/build-host-program.ts';
import type { RootKind } from '../../bridge-server/roots/open-root-maker.ts';
import { probeHost } from '../../bridge-server/runtimes/jail/probe-host.ts';
import { whatProgramsLack } from '../../bridge-server/runtimes/jail/probe-programs.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { createProgress } from '../../host/progress.ts';
import { whatBtrfsLacks } from '../fixtures/btrfs-volume.ts';

/** Why jails without namespaces cannot be tested here, found out by starting one. */
export async function whatOwnIdLacks(): Promise<string | undefined> {
  if (process.geteuid?.() !== 0) return 'needs root: ids, and the right to change roots';
  const launcher = await buildHostProgram('launcher', {
    cache: new CacheFolder(cachePath()),
    progress: createProgress(),
  });
  const { ownId } = await probeHost({ launcher });
  return ownId.type === 'missing' ? ownId.reason : undefined;
}

/** Why sandboxes in jails cannot be tested here, found out by starting one; `undefined` when they can. */
export async function whatJailsLack(snapshots: RootKind = 'overlay'): Promise<string | undefined> {
  if (process.geteuid?.() !== 0) return 'needs root: ids and a home for the user of a jail';
  const launcher = await buildHostProgram('launcher', {
    cache: new CacheFolder(cachePath()),
    progress: createProgress(),
  });
  const { jail, overlay } = await probeHost({ launcher });
  const needed = snapshots === 'copy' ? jail : overlay;
  if (needed.type === 'missing') return needed.reason;
  return snapshots === 'btrfs' ? whatBtrfsLacks() : undefined;
}

/** Why sandboxes of tabs, which are of 32 bits, cannot go on in jails here; `undefined` when they can. */
export async function whatMovesLack(): Promise<string | undefined> {
  return (await whatJailsLack()) ?? (await whatProgramsLack('i386', { folder: tmpdir() }));
}
