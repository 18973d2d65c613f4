import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Bound, ResourceRules } from '../../sandbox/resources.ts';

/** The most that one sandbox of a host may have, where its operator wants other maxima than the usual. */
export type HostMaxima = { readonly [Name in keyof ResourceRules]?: number | undefined };

/** What sandboxes of a host may use (row O-9). @throws invalid-argument for a maximum that cannot be */
export function hostResources(maxima: HostMaxima = {}): ResourceRules {
  const { hostMemoryMiB, hostDiskMiB, hostCpuShares, hostPids } = limits;
  return {
    memoryMiB: bound('memoryMiB', { ...hostMemoryMiB, asked: maxima.memoryMiB }),
    diskMiB: bound('diskMiB', { ...hostDiskMiB, asked: maxima.diskMiB }),
    cpuShares: bound('cpuShares', { ...hostCpuShares, asked: maxima.cpuShares }),
    pids: bound('pids', { ...hostPids, asked: maxima.pids }),
  };
}

function bound(
  name: string,
  of: { min: number; usual: number; max: number; most: number; asked: number | undefined },
): Bound {
  const { min, usual, most, asked: max = of.max } = of;
  if (Number.isInteger(max) && max >= min && max <= most) return { min, max, usual: Math.min(usual, max) };
  const message = `The most ${name} of a sandbox cannot be ${max}: it is an integer from ${min} to ${most}`;
  throw new SandboxError('invalid-argument', message, { details: { name, min, most } });
}
