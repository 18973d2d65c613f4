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

/** The kernel's own choice; a quota is told as so much of each. */
const cpuPeriodUs = 100_000;

/** Control groups of version 2 (Documentation/admin-guide/cgroup-v2.rst). */
export class V2GroupMaker implements ControlGroupMaker {
  readonly version = 2;
  readonly #parent: string;

  /** `parent` is a folder in which we may make groups, with the controllers memory, pids and cpu enabled, and perhaps io. */
  constructor(parent: string) {
    this.#parent = parent;
  }

  async make(name: string, limits: JailLimits): Promise<ControlGroups> {
    const groups = new V2Groups(join(this.#parent, name));
    await groups.create();
    try {
      await groups.limit(limits);
    } catch (error) {
      await groups[Symbol.asyncDispose]();
      throw error;
    }
    return groups;
  }

  async list(): Promise<string[]> {
    const entries = await readdir(this.#parent, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  open(name: string): ControlGroups {
    return new V2Groups(join(this.#parent, name));
  }
}

class V2Groups implements ControlGroups {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  get joins(): string[] {
    return [join(this.#path, 'cgroup.procs')];
  }

  async create(): Promise<void> {
    try {
      await mkdir(this.#path);
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code === 'EEXIST' ? 'already-exists' : 'internal';
      throw new SandboxError(code, `Cannot make the control group ${this.#path}`, { cause });
    }
  }

  async limit({ memoryMiB, pids, cpuShares, cpus, io }: JailLimits): Promise<void> {
    await writeSetting(join(this.#path, 'memory.max'), memoryMiB * 1_048_576);
    // Only where there is swap.
    await writeSetting(join(this.#path, 'memory.swap.max'), 0).catch(() => undefined);
    await writeSetting(join(this.#path, 'pids.max'), pids);
    await writeSetting(join(this.#path, 'cpu.weight'), weightOf(cpuShares));
    if (cpus !== undefined) {
      await writeSetting(join(this.#path, 'cpu.max'), `${Math.round(cpus * cpuPeriodUs)} ${cpuPeriodUs}`);
    }
    if (io) {
      const bytes = io.mibPerSecond * 1_048_576;
      await writeSetting(join(this.#path, 'io.max'), `${io.disk} rbps=${bytes} wbps=${bytes}`);
    }
  }

  async freeze(): Promise<void> {
    await this.#setFrozen(1);
  }

  async thaw(): Promise<void> {
    await this.#setFrozen(0);
  }

  outOfMemoryKills(): number {
    return readCount(join(this.#path, 'memory.events'), 'oom_kill');
  }

  usage(): MachineUsage {
    const cpuUs = findCount(join(this.#path, 'cpu.stat'), 'usage_usec');
    return usageOf({
      cpuNs: cpuUs === undefined ? undefined : cpuUs * 1_000,
      memoryBytes: readNumber(join(this.#path, 'memory.current')),
      // Since Linux 5.19.
      memoryPeakBytes: readNumber(join(this.#path, 'memory.peak')),
      threads: readNumber(join(this.#path, 'pids.current')),
      outOfMemoryKills: findCount(join(this.#path, 'memory.events'), 'oom_kill'),
    });
  }

  threadCount(): number {
    return Number(readText(join(this.#path, 'pids.current')));
  }

  processes(): Promise<number[]> {
    return readProcesses(join(this.#path, 'cgroup.procs'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeGroup(this.#path);
  }

  async #setFrozen(frozen: 0 | 1): Promise<void> {
    writeSettingNow(join(this.#path, 'cgroup.freeze'), frozen);
    await waitUntil(() => readCount(join(this.#path, 'cgroup.events'), 'frozen') === frozen, {
      what: frozen ? 'freeze the jail' : 'thaw the jail',
      timeoutMs: limits.jailFreezeTimeoutMs,
    });
  }
}

/** Shares are 2 … 262144, weights 1 … 10000; the formula is that of the OCI runtimes. */
function weightOf(shares: number): number {
  return 1 + Math.floor(((shares - 2) * 9_999) / 262_142);
}
