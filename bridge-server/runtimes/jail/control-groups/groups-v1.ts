import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../../../../protocol/errors.ts';
import { limits } from '../../../../protocol/limits.ts';
import type { MachineUsage } from '../../../../protocol/sandbox-report.ts';
import type { JailLimits } from '../../../contract.ts';
import type { ControlGroupMaker, ControlGroups } from './control-groups.ts';
import {
  findCount,
  readCount,
  readNumber,
  readProcesses,
  readText,
  removeGroup,
  usageOf,
  waitUntil,
  writeSetting,
  writeSettingNow,
} from './group-files.ts';

/** The controllers that a jail needs, each a hierarchy of its own in version 1. */
export const v1Controllers = ['memory', 'pids', 'cpu', 'freezer'] as const;

/** Per controller, the folder in which we may make groups. */
export type V1Parents = Readonly<Record<(typeof v1Controllers)[number], string>> & {
  /** Where speed can be limited; who asks for no limit is in no group of it. */
  readonly blkio?: string;
};

/** The kernel's own choice; a quota is told as so much of each (Documentation/scheduler/sched-bwc.rst). */
const cpuPeriodUs = 100_000;

/** Control groups of version 1, also of a hybrid host (cgroups(7), Documentation/admin-guide/cgroup-v1/). */
export class V1GroupMaker implements ControlGroupMaker {
  readonly version = 1;
  readonly #parents: V1Parents;

  constructor(parents: V1Parents) {
    this.#parents = parents;
  }

  async make(name: string, limits: JailLimits): Promise<ControlGroups> {
    const { blkio, ...parents } = this.#parents;
    if (limits.io && blkio === undefined) {
      throw new SandboxError('unsupported', 'Cannot limit the speed of a jail: no controller blkio');
    }
    const groups = new V1Groups(limits.io ? this.#parents : parents, name);
    try {
      await groups.create();
      await groups.limit(limits);
    } catch (error) {
      await groups[Symbol.asyncDispose]();
      throw error;
    }
    return groups;
  }

  async list(): Promise<string[]> {
    const names = new Set<string>();
    for (const parent of Object.values(this.#parents)) {
      const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) if (entry.isDirectory()) names.add(entry.name);
    }
    return [...names];
  }

  open(name: string): ControlGroups {
    return new V1Groups(this.#parents, name, true);
  }
}

class V1Groups implements ControlGroups {
  readonly #paths: V1Parents;
  readonly #made: Set<string>;

  constructor(parents: V1Parents, name: string, exists = false) {
    const inside = Object.entries(parents).map(([controller, parent]) => [controller, join(parent, name)]);
    this.#paths = Object.fromEntries(inside) as V1Parents;
    this.#made = new Set(exists ? Object.values(this.#paths) : []);
  }

  /**
   * `tasks` and not `cgroup.procs`: a thread that moves itself needs no lock of all of the host's
   * processes, for which the other waits ten milliseconds, and PID 1 is one thread.
   */
  get joins(): string[] {
    return Object.values(this.#paths).map((path) => join(path, 'tasks'));
  }

  async create(): Promise<void> {
    for (const path of Object.values(this.#paths)) {
      try {
        await mkdir(path);
      } catch (cause) {
        const code = (cause as NodeJS.ErrnoException).code === 'EEXIST' ? 'already-exists' : 'internal';
        throw new SandboxError(code, `Cannot make the control group ${path}`, { cause });
      }
      this.#made.add(path);
    }
  }

  async limit({ memoryMiB, pids, cpuShares, cpus, io }: JailLimits): Promise<void> {
    const { memory, pids: processes, cpu, blkio } = this.#paths;
    const bytes = memoryMiB * 1_048_576;
    await writeSetting(join(memory, 'memory.limit_in_bytes'), bytes);
    // Only where the kernel counts swap; then it counts both together.
    await writeSetting(join(memory, 'memory.memsw.limit_in_bytes'), bytes).catch(() => undefined);
    await writeSetting(join(processes, 'pids.max'), pids);
    await writeSetting(join(cpu, 'cpu.shares'), cpuShares);
    if (cpus !== undefined) {
      await writeSetting(join(cpu, 'cpu.cfs_period_us'), cpuPeriodUs);
      await writeSetting(join(cpu, 'cpu.cfs_quota_us'), Math.round(cpus * cpuPeriodUs));
    }
    if (io && blkio !== undefined) {
      const limit = `${io.disk} ${io.mibPerSecond * 1_048_576}`;
      await writeSetting(join(blkio, 'blkio.throttle.read_bps_device'), limit);
      await writeSetting(join(blkio, 'blkio.throttle.write_bps_device'), limit);
    }
  }

  async freeze(): Promise<void> {
    const state = join(this.#paths.freezer, 'freezer.state');
    const isFrozen = () => {
      // Said again: a freeze that met a process it could not stop stays half-way otherwise.
      writeSettingNow(state, 'FROZEN');
      return readText(state).trim() === 'FROZEN';
    };
    await waitUntil(isFrozen, { what: 'freeze the jail', timeoutMs: limits.jailFreezeTimeoutMs });
  }

  async thaw(): Promise<void> {
    writeSettingNow(join(this.#paths.freezer, 'freezer.state'), 'THAWED');
  }

  outOfMemoryKills(): number {
    return readCount(join(this.#paths.memory, 'memory.oom_control'), 'oom_kill');
  }

  usage(): MachineUsage {
    const { memory, pids, cpu } = this.#paths;
    return usageOf({
      // Only where both controllers are one hierarchy, as on most hosts that have version 1.
      cpuNs: readNumber(join(cpu, 'cpuacct.usage')),
      memoryBytes: readNumber(join(memory, 'memory.usage_in_bytes')),
      memoryPeakBytes: readNumber(join(memory, 'memory.max_usage_in_bytes')),
      threads: readNumber(join(pids, 'pids.current')),
      outOfMemoryKills: findCount(join(memory, 'memory.oom_control'), 'oom_kill'),
    });
  }

  threadCount(): number {
    return Number(readText(join(this.#paths.pids, 'pids.current')));
  }

  processes(): Promise<number[]> {
    return readProcesses(join(this.#paths.freezer, 'cgroup.procs'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of this.#made) await removeGroup(path);
    this.#made.clear();
  }
}
