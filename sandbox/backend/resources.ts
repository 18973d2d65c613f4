import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { CreateOptions } from '../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';

/** What a sandbox may be given of one thing. */
export interface Bound {
  readonly min: number;
  readonly max: number;
  /** What it gets unless it asks. Memory is as its image says without it, and of other things there is no limit then. */
  readonly usual?: number;
  /** Whether part of one will do. */
  readonly isDivisible?: boolean;
}

/** What not every runtime can limit. */
const optionalAmounts = ['cpuShares', 'pids', 'cpus', 'ioMiBps'] as const;

type OptionalAmount = (typeof optionalAmounts)[number];
type Amount = 'memoryMiB' | 'diskMiB' | OptionalAmount;

/** What the sandboxes of a runtime may use; what it has no limit of is left out. */
export interface ResourceRules {
  readonly memoryMiB: Bound;
  readonly diskMiB: Bound;
  readonly cpuShares?: Bound;
  readonly pids?: Bound;
  readonly cpus?: Bound;
  readonly ioMiBps?: Bound;
  /** Why it has no limit of something that others like it have, or not the network `full`. */
  readonly lacks?: { readonly [Name in OptionalAmount | 'network']?: string };
}

/** What a sandbox has of each. */
export type Resources = Pick<SandboxInfo, Amount | 'network'>;

/** Of a machine in the tab, which has no other limit than that of the tab. */
export const tabResources: ResourceRules = {
  memoryMiB: limits.memoryMiB,
  diskMiB: limits.diskMiB,
  lacks: { network: 'a machine in a tab has none but its own loopback' },
};

/**
 * What a new sandbox gets: what is asked for, and where nothing is, what `inherited` or the image has, as
 * far as the rules allow.
 * @throws limit-exceeded past the maximum; unsupported for what the runtime cannot limit; invalid-argument
 */
export function chooseResources(
  asked: Pick<CreateOptions, Amount | 'network'>,
  options: {
    readonly rules: ResourceRules;
    /** Nothing of one without an image. */
    readonly imageMemoryMiB: number | undefined;
    readonly inherited?: Partial<Resources> | undefined;
  },
): Resources {
  const { rules, imageMemoryMiB, inherited = {} } = options;
  assertSupported(asked, rules);
  const choose = (name: Amount, bound: Bound, usual = bound.usual): number | undefined => {
    const value = asked[name];
    if (value !== undefined) return within(name, value, bound);
    const unasked = inherited[name] ?? usual;
    return unasked === undefined ? undefined : Math.min(unasked, bound.max);
  };
  const { memoryMiB, diskMiB } = rules;
  const optional = optionalAmounts.flatMap((name) => {
    const bound = rules[name];
    const value = bound && choose(name, bound);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    memoryMiB: choose('memoryMiB', memoryMiB, memoryMiB.usual ?? imageMemoryMiB) ?? memoryMiB.max,
    diskMiB: choose('diskMiB', diskMiB) ?? diskMiB.max,
    ...Object.fromEntries(optional),
    network:
      rules.lacks?.network === undefined ? (asked.network ?? inherited.network ?? 'isolated') : 'isolated',
  };
}

/** As much of what is asked for as `rules` allow: for a sandbox that comes from elsewhere with sizes of its own. */
export function cutToMaxima(
  asked: Pick<CreateOptions, 'memoryMiB' | 'diskMiB'>,
  { memoryMiB, diskMiB }: ResourceRules,
): Pick<CreateOptions, 'memoryMiB' | 'diskMiB'> {
  return {
    ...(asked.memoryMiB === undefined ? {} : { memoryMiB: Math.min(asked.memoryMiB, memoryMiB.max) }),
    ...(asked.diskMiB === undefined ? {} : { diskMiB: Math.min(asked.diskMiB, diskMiB.max) }),
  };
}

function assertSupported(asked: Pick<CreateOptions, Amount | 'network'>, rules: ResourceRules): void {
  const { network } = rules.lacks ?? {};
  if (asked.network === 'full' && network !== undefined) throw unsupported('network', network);
  for (const name of optionalAmounts) {
    if (asked[name] === undefined || rules[name]) continue;
    throw unsupported(name, rules.lacks?.[name] ?? 'its runtime has no such limit');
  }
}

function within(name: Amount, value: number, { min, max, isDivisible = false }: Bound): number {
  const details = { name, min, max };
  if (value > max) {
    const message = `Cannot make a sandbox with ${name} ${value}: ${max} is the most here`;
    throw new SandboxError('limit-exceeded', message, { details });
  }
  const isAmount = isDivisible ? Number.isFinite(value) : Number.isInteger(value);
  if (isAmount && value >= min) return value;
  const kind = isDivisible ? 'a number' : 'an integer';
  const message = `${name} is ${value}, not ${kind} from ${min} to ${max}`;
  throw new SandboxError('invalid-argument', message, { details });
}

function unsupported(feature: string, why: string): SandboxError {
  return new SandboxError('unsupported', `Cannot set ${feature} of the sandbox: ${why}`, {
    details: { feature },
  });
}
