import { imageArchitecture } from '../protocol/image-manifest.ts';
import type { CreateOptions, SandboxInfo } from '../protocol/sandbox.ts';
import type { LoadedImage, Place } from './place.ts';
import { chooseResources } from './resources.ts';

/** What a sandbox is that is about to be made of an image. @throws limit-exceeded, unsupported, invalid-argument */
export function newInfo(
  id: string,
  options: CreateOptions,
  { image, place }: { image: LoadedImage; place: Pick<Place, 'runtime' | 'resources'> },
): SandboxInfo {
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
  };
}
