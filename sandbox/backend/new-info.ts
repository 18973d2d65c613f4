import { imageArchitecture } from '../../protocol/image-manifest.ts';
import type { CreateOptions } from '../../protocol/sandbox/backend.ts';
import { chooseSettings, type SandboxRecord } from '../sandbox-settings.ts';
import { chooseAllowList } from './choose-allow-list.ts';
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
  const resources = chooseResources(options, { rules, imageMemoryMiB: manifest?.memoryMiB });
  return {
    id,
    name: options.name ?? manifest?.name ?? runtime,
    image: manifest?.name ?? '',
    imageDigest: image?.digest ?? '',
    ...(manifest ? { architecture: imageArchitecture(manifest) } : {}),
    ...resources,
    ...chooseAllowList(options, { network: resources.network }),
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
  // An empty list of directories to ignore is no setting, which must not leave the parent's.
  const { allow, ignore: _ignore, ...inherited } = parent;
  const resources = chooseResources(options, {
    rules: driver.resources,
    imageMemoryMiB: image?.manifest.memoryMiB,
    inherited,
  });
  return {
    ...inherited,
    id: crypto.randomUUID(),
    name: options.name ?? `${parent.name} fork`,
    ...resources,
    ...chooseAllowList(options, { network: resources.network, inherited: allow }),
    createdAtMs: Date.now(),
    ...(options.nested === undefined ? {} : { nested: options.nested }),
    ...chooseSettings(options, { parent, canExpire }),
  };
}
