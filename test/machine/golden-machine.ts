import type { FileAssets } from '../../host/images/file-assets.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { parseGoldenSession } from '../../protocol/golden-session.ts';
import type { MachineManifest } from '../../protocol/image-manifest.ts';
import type { MachineParts } from '../../web/worker/machine/guest-machine.ts';
import { memoryOrigin } from '../../web/worker/machine/memory-origin.ts';
import { watchedModule } from './live/watched-module.ts';

/** What a machine of a built image is made of, and the state that it begins with. @throws asset-unavailable */
export async function goldenMachine(
  manifest: MachineManifest,
  assets: FileAssets,
): Promise<{ readonly machine: Omit<MachineParts, 'start' | 'takeAhead'>; readonly state: ArrayBuffer }> {
  const { golden, memoryMiB, hostname } = manifest;
  if (!golden) throw new SandboxError('asset-unavailable', 'The image has no golden snapshot');
  const machine = {
    ...(await watchedModule()),
    bios: await assets.content(manifest.bios),
    vgaBios: await assets.content(manifest.vgaBios),
    memoryMiB,
    origin: memoryOrigin(manifest, { image: manifest.tree, memoryMiB }),
    hostname,
    session: parseGoldenSession(new TextDecoder().decode(await assets.content(golden.session))),
  };
  return { machine, state: await assets.content(golden) };
}
