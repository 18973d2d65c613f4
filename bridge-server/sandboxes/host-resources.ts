import { availableParallelism } from 'node:os';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { type Bound, chooseResources, type ResourceRules } from '../../sandbox/backend/resources.ts';

/** The most that one sandbox of a host may have, where its operator wants other maxima than the usual. */
export type HostMaxima = { readonly [Name in Exclude<keyof ResourceRules, 'lacks'>]?: number | undefined };

/** What a sandbox has that asks for nothing, where its host wants it otherwise. */
export interface UsualAmounts {
  readonly cpuShares?: number | undefined;
}

/** Limits that not every host can hold a sandbox to, and a network, each with the reason why this one lacks it. */
export type HostLacks = Pick<NonNullable<ResourceRules['lacks']>, 'cpus' | 'ioMiBps' | 'network'>;

/**
 * What sandboxes of a host may use (row O-9): of what has no usual amount, all that there is unless they ask,
 * or their operator says how much at most.
 * @throws invalid-argument for a maximum that cannot be, unsupported for one of what the host lacks
 */
export function hostResources(
  maxima: HostMaxima = {},
  lacks: HostLacks = {},
  { cpuShares = limits.hostCpuShares.usual }: UsualAmounts = {},
): ResourceRules {
  const { hostMemoryMiB, hostDiskMiB, hostPids, hostCpus, hostIoMiBps } = limits;
  const hostCpuShares = { ...limits.hostCpuShares, usual: cpuShares };
  const processors = { ...hostCpus, max: availableParallelism(), isDivisible: true };
  const speed = { ...hostIoMiBps, max: hostIoMiBps.most };
  for (const [name, why] of Object.entries(lacks)) {
    if (maxima[name as keyof HostMaxima] !== undefined) throw unsupported(name, why);
  }
  return {
    memoryMiB: bound('memoryMiB', { ...hostMemoryMiB, asked: maxima.memoryMiB }),
    diskMiB: bound('diskMiB', { ...hostDiskMiB, asked: maxima.diskMiB }),
    cpuShares: bound('cpuShares', { ...hostCpuShares, asked: maxima.cpuShares }),
    pids: bound('pids', { ...hostPids, asked: maxima.pids }),
    ...(lacks.cpus === undefined ? { cpus: bound('cpus', { ...processors, asked: maxima.cpus }) } : {}),
    ...(lacks.ioMiBps === undefined
      ? { ioMiBps: bound('ioMiBps', { ...speed, asked: maxima.ioMiBps }) }
      : {}),
    lacks,
  };
}

/**
 * Refuses to start a sandbox that has a limit which this host cannot hold it to: it was made on one that
 * could, or while this one could (row O-9, H-10). @throws unsupported
 */
export function assertHeld(info: Pick<SandboxInfo, 'cpus' | 'ioMiBps'>, { lacks = {} }: ResourceRules): void {
  for (const name of ['cpus', 'ioMiBps'] as const) {
    const why = lacks[name];
    if (why === undefined) continue;
    const most = info[name];
    if (most === undefined) continue;
    const message =
      `Cannot start the sandbox: it may have ${name} ${most} at most, and nothing here holds it to that: ${why}. ` +
      'Give this host that controller again and restart the bridge; until then its files can be exported';
    throw new SandboxError('unsupported', message, { details: { feature: name } });
  }
}

/** Refuses what no host of the usual maxima gives a sandbox, before anything is made for it. @throws as `chooseResources` */
export function assertWithinUsual(asked: Parameters<typeof chooseResources>[0]): void {
  chooseResources(asked, { rules: hostResources(), imageMemoryMiB: undefined });
}

interface Amounts {
  readonly min: number;
  readonly usual?: number;
  readonly max: number;
  readonly most: number;
  readonly isDivisible?: boolean;
  readonly asked: number | undefined;
}

function bound(name: string, { min, most, asked, max: usualMax, ...of }: Amounts): Bound {
  const { usual = asked, isDivisible = false } = of;
  const max = asked ?? usualMax;
  if ((isDivisible ? Number.isFinite(max) : Number.isInteger(max)) && max >= min && max <= most) {
    const rest = isDivisible ? { isDivisible } : {};
    return { min, max, ...(usual === undefined ? {} : { usual: Math.min(usual, max) }), ...rest };
  }
  const kind = isDivisible ? 'a number' : 'an integer';
  const message = `The most ${name} of a sandbox cannot be ${max}: it is ${kind} from ${min} to ${most}`;
  throw new SandboxError('invalid-argument', message, { details: { name, min, most } });
}

function unsupported(feature: string, why: string): SandboxError {
  const message = `Cannot hold sandboxes to a maximum of ${feature}: ${why}`;
  return new SandboxError('unsupported', message, { details: { feature } });
}
