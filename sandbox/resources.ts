import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import type { CreateOptions, SandboxInfo } from '../protocol/sandbox.ts';

/** What a sandbox may be given of one thing. */
export interface Bound {
  readonly min: number;
  readonly max: number;
  /** What it gets unless it asks; without it, what its image says. */
  readonly usual?: number;
}

type Amount = 'memoryMiB' | 'diskMiB' | 'cpuShares' | 'pids';

/** What the sandboxes of a place may use; what a place has no limit of is left out. */
export interface ResourceRules {
  readonly memoryMiB: Bound;
  readonly diskMiB: Bound;
  readonly cpuShares?: Bound;
  readonly pids?: Bound;
}

/** What a sandbox has of each. */
export type Resources = Pick<SandboxInfo, Amount | 'network'>;

/** Of a machine in the tab, which has no other limit than that of the tab. */
export const tabResources: ResourceRules = { memoryMiB: limits.memoryMiB, diskMiB: limits.diskMiB };

/**
 * What a new sandbox gets: what is asked for, and where nothing is, what `inherited` or the image has, as
 * far as the place allows.
 * @throws limit-exceeded past the maximum; unsupported for what the place cannot limit; invalid-argument
 */
export function chooseResources(
  asked: Pick<CreateOptions, Amount | 'network'>,
  options: {
    readonly rules: ResourceRules;
    readonly imageMemoryMiB: number;
    readonly inherited?: Partial<Resources> | undefined;
  },
): Resources {
  const { rules, imageMemoryMiB, inherited = {} } = options;
  assertSupported(asked, rules);
  const choose = (name: Amount, bound: Bound): number => {
    const value = asked[name];
    if (value !== undefined) return within(name, value, bound);
    return Math.min(inherited[name] ?? bound.usual ?? imageMemoryMiB, bound.max);
  };
  return {
    memoryMiB: choose('memoryMiB', rules.memoryMiB),
    diskMiB: choose('diskMiB', rules.diskMiB),
    ...(rules.cpuShares ? { cpuShares: choose('cpuShares', rules.cpuShares) } : {}),
    ...(rules.pids ? { pids: choose('pids', rules.pids) } : {}),
    network: 'isolated',
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
  if (asked.network === 'full') throw unsupported('network', '"full" is not built yet, only "isolated"');
  for (const name of ['cpuShares', 'pids'] as const) {
    if (asked[name] !== undefined && !rules[name]) throw unsupported(name, 'its runtime has no such limit');
  }
}

function within(name: Amount, value: number, { min, max }: Bound): number {
  const details = { name, min, max };
  if (value > max) {
    const message = `Cannot make a sandbox with ${name} ${value}: ${max} is the most here`;
    throw new SandboxError('limit-exceeded', message, { details });
  }
  if (Number.isInteger(value) && value >= min) return value;
  throw new SandboxError('invalid-argument', `${name} is ${value}, not an integer from ${min} to ${max}`, {
    details,
  });
}

function unsupported(feature: string, why: string): SandboxError {
  return new SandboxError('unsupported', `Cannot set ${feature} of the sandbox: ${why}`, {
    details: { feature },
  });
}
