import { imageArchitecture } from '../../protocol/image-manifest.ts';
import type { CreateOptions } from '../../protocol/sandbox/backend.ts';
import { chooseSettings, type SandboxRecord } from '../sandbox-settings.ts';
import type { LoadedBase } from './load-base.ts';
import { chooseResources } from './resources.ts';

type Base = Pick<LoadedBase, 'driver' | 'image'>;

/** A sandbox that is about to be made of an image, or without one. @throws limit-exceeded, unsupported, invalid-argument */
export function newInfo(
  id: string,
  options: CreateOptions,
  { base: { driver, image }, canExpire }: { readonly base: Base; readonly canExpire: boolean },
): SandboxRecord {
  const { runtime, resources: rules } = driver;
  const manifest = image?.manifest;
  return {
    id,
    name: options.name ?? manifest?.name ?? runtime,
    image: manifest?.name ?? '',
    imageDigest: image?.digest ?? '',
    ...(manifest ? { architecture: imageArchitecture(manifest) } : {}),
    ...chooseResources(options, { rules, imageMemoryMiB: manifest?.memoryMiB }),
    runtime,
    createdAtMs: Date.now(),
    ...(options.nested ? { nested: true } : {}),
    ...chooseSettings(options, { canExpire }),
  };
}

/** A sandbox that is about to be made of a snapshot of `parent`. @throws limit-exceeded, unsupported, invalid-argument */
export function childInfo(
  parent: SandboxRecord,
  options: Omit<CreateOptions, 'image' | 'from'>,
  { base: { driver, image }, canExpire }: { readonly base: Base; readonly canExpire: boolean },
): SandboxRecord {
  return {
    ...parent,
    id: crypto.randomUUID(),
    name: options.name ?? `${parent.name} fork`,
    ...chooseResources(options, {
      rules: driver.resources,
      imageMemoryMiB: image?.manifest.memoryMiB,
      inherited: parent,
    }),
    createdAtMs: Date.now(),
    ...(options.nested === undefined ? {} : { nested: options.nested }),
    ...chooseSettings(options, { parent, canExpire }),
  };
}
