import { type DescribedRuntime, type RuntimeDescription, runtimes } from './runtimes.ts';

/** The description of a runtime; `undefined` for one that only a newer peer knows. */
export function describeRuntime(name: string | undefined): RuntimeDescription | undefined {
  return name !== undefined && Object.hasOwn(runtimes, name) ? runtimes[name as DescribedRuntime] : undefined;
}

/** The runtimes that a person chooses from at a place, in the order in which they are offered: the first is the usual one. */
export function chosenRuntimes(runsIn: RuntimeDescription['runsIn']): readonly DescribedRuntime[] {
  const names = Object.keys(runtimes) as DescribedRuntime[];
  return names.filter((name) => runtimes[name].isChosen && runtimes[name].runsIn === runsIn);
}
