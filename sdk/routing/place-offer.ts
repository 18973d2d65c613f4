import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import type { RuntimeNeeds, RuntimeOffer } from './choose-runtime.ts';
import type { NamedPlace, Place } from './place.ts';

/** The longest that a command should take, unless its caller says how long it may. */
export const usualPatienceMs = 60_000;

export interface PlaceOffer extends RuntimeOffer {
  readonly place: NamedPlace;
}

/** What a place can have, as far as that is known before a sandbox is there: that an image has a program is not. */
export function offerOf(place: NamedPlace, patienceMs: number = usualPatienceMs): PlaceOffer {
  const description = describeRuntime(place.runtime);
  const is64Bit = description?.architectures.includes('amd64') ?? false;
  return {
    place,
    name: place.name,
    memoryMiB: place.memoryMiB ?? description?.most.memoryMiB ?? limits.memoryMiB.max,
    diskMiB: place.diskMiB ?? description?.most.diskMiB ?? limits.diskMiB.max,
    is64Bit,
    has64BitLibraries: is64Bit,
    network: (place.network ?? description?.network) === 'full',
    terminal: description?.pty ?? true,
    hasProgram: () => true,
    slowdown: description?.slowdown ?? 1,
    patienceMs,
  };
}

/** A place that is to have what is needed, where it is not told what it has. */
export function withNeeds(place: NamedPlace, { memoryMiB, diskMiB, network }: RuntimeNeeds): NamedPlace {
  const hasMachine = describeRuntime(place.runtime)?.image ?? false;
  return {
    ...(memoryMiB !== undefined && hasMachine ? { memoryMiB } : {}),
    ...(diskMiB === undefined ? {} : { diskMiB }),
    ...(network ? { network: 'full' } : {}),
    ...place,
  };
}

/** Gives each place a name of its own. @throws invalid-argument */
export function namePlaces(places: readonly Place[]): readonly NamedPlace[] {
  const named = places.map((place) => ({ ...place, name: place.name ?? place.runtime }));
  const names = new Set(named.map(({ name }) => name));
  if (named.length > 0 && names.size === named.length && !names.has('')) return named;
  const why = named.length === 0 ? 'there is no place' : 'two places have the same name: give each its own';
  throw new SandboxError('invalid-argument', `Cannot choose where to run: ${why}`);
}

/** @throws not-found */
export function placeNamed(places: readonly NamedPlace[], name: string): NamedPlace {
  const place = places.find((each) => each.name === name);
  if (place) return place;
  const known = places.map((each) => each.name);
  throw new SandboxError('not-found', `There is no place "${name}": there are ${known.join(', ')}`, {
    details: { places: known },
  });
}
