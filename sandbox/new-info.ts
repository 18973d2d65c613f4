import { imageArchitecture } from '../protocol/image-manifest.ts';
import type { CreateOptions } from '../protocol/sandbox/backend.ts';
import type { LoadedImage, Place } from './place.ts';
import { chooseResources } from './resources.ts';
import { chooseSettings, type SandboxRecord } from './sandbox-settings.ts';

/** What a sandbox is that is about to be made of an image. @throws limit-exceeded, unsupported, invalid-argument */
export function newInfo(
  id: string,
  options: CreateOptions,
  { image, place }: { image: LoadedImage; place: Pick<Place, 'runtime' | 'resources' | 'canExpire'> },
): SandboxRecord {
  const { manifest, digest } = image;
  return {
    id,
    name: options.name ?? manifest.name,
    image: manifest.name,
    imageDigest: digest,
    architecture: imageArchitecture(manifest),
    ...chooseResources(options, { rules: place.resources, imageMemoryMiB: manifest.memoryMiB }),
    runtime: place.runtime,
    createdAtMs: Date.now(),
    ...(options.nested ? { nested: true } : {}),
    ...chooseSettings(options, { canExpire: place.canExpire === true }),
  };
}
