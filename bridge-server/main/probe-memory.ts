import { createHash } from 'node:crypto';
import { access, constants, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import type { RecallProbe } from '../contract.ts';
import type { HostPrograms } from './build-programs.ts';

/** What probes of this host have found to work, kept in a folder: the next process that opens it does not try it again. */
export interface ProbeMemory {
  /** Whether what is called `name` was found to work, or is now with `add`. What did not is not remembered. */
  has(name: string): boolean;
  add(name: string): void;
  readonly recall: RecallProbe;
  /** Keeps what was found. A disk without room for it does no harm. */
  keep(): Promise<void>;
  /** Something that was found to work has failed: the next process tries all of it. */
  forget(): Promise<void>;
}

/** Names of what works by the digest of the situation that it was tried in, the newest last. */
type Kept = Map<string, readonly string[]>;

/** A session, a service and a container may take turns in one folder: each has its own control group. */
const situations = 8;
const namesOfOne = 16;
const fileBytes = 16_384;

/** The memory of a folder, of the situation that this process is in. */
export async function openProbeMemory(
  folder: string,
  programs: Pick<HostPrograms, 'launcher' | 'scanner'>,
): Promise<ProbeMemory> {
  const path = pathIn(folder);
  const [kept, situation] = await Promise.all([readKept(folder), describeSituation(folder, programs)]);
  const works = new Set(kept.get(situation));
  let keptNames = works.size;
  const recall: RecallProbe = async (name, probe) => {
    if (works.has(name)) return undefined;
    const lack = await probe();
    if (lack === undefined) works.add(name);
    return lack;
  };
  return {
    has: (name) => works.has(name),
    add: (name) => void works.add(name),
    recall,
    keep: async () => {
      if (works.size === keptNames) return;
      keptNames = works.size;
      kept.delete(situation);
      const all = [...kept, [situation, [...works]] as const].slice(-situations);
      await writeFile(path, JSON.stringify(all), { mode: 0o600 }).catch(() => undefined);
    },
    forget: async () => {
      works.clear();
      keptNames = 0;
      // Where it cannot be taken away, it counts for nothing: see `readKept`.
      await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

/** Remembers nothing. */
export const noProbeMemory: ProbeMemory = {
  has: () => false,
  add: () => {},
  recall: (_name, probe) => probe(),
  keep: async () => {},
  forget: async () => {},
};

function pathIn(folder: string): string {
  return join(folder, 'probed');
}

/** What cannot be read was not found: it is tried again. So is what could not be forgotten, as on a disk that is read-only. */
async function readKept(folder: string): Promise<Kept> {
  try {
    const path = pathIn(folder);
    await Promise.all([folder, path].map((each) => access(each, constants.W_OK)));
    const text = await readFile(path, 'utf8');
    const all: unknown = text.length > fileBytes ? undefined : JSON.parse(text);
    return new Map(Array.isArray(all) && all.every(isEntry) ? all : []);
  } catch {
    return new Map();
  }
}

function isEntry(value: unknown): value is [situation: string, names: string[]] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [situation, names]: unknown[] = value;
  const isNames = Array.isArray(names) && names.length <= namesOfOne;
  return typeof situation === 'string' && isNames && names.every((name) => typeof name === 'string');
}

/**
 * A digest of what decides whether a probe succeeds: the boot and its kernel, the ids, capabilities and filters of this
 * process, its control group and root, settings of user namespaces, the folder and its device, and the programs.
 */
async function describeSituation(
  folder: string,
  { launcher, scanner }: Pick<HostPrograms, 'launcher' | 'scanner'>,
): Promise<string> {
  const [status, ...others] = await Promise.all(
    ['self/status', ...deciding].map((path) => readFile(join('/proc', path), 'utf8').catch(() => '')),
  );
  const lines = status
    ?.split('\n')
    .filter((line) => /^(Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp):/.test(line));
  const places = await Promise.all(
    ['/', folder].map(async (path) => {
      const { dev, ino } = await stat(path);
      return [path, dev, ino];
    }),
  );
  const programs = await Promise.all(
    [launcher, scanner].map(async (path) => {
      const { dev, ino, size, mtimeMs } = await stat(path);
      return [path, dev, ino, size, mtimeMs];
    }),
  );
  const described = JSON.stringify([release(), lines, others, places, programs]);
  return createHash('sha256').update(described).digest('hex');
}

/** Below /proc. Those that a kernel does not have are empty. */
const deciding = [
  'sys/kernel/random/boot_id',
  'self/cgroup',
  'self/uid_map',
  'self/gid_map',
  'self/attr/current',
  'sys/user/max_user_namespaces',
  'sys/kernel/unprivileged_userns_clone',
  'sys/kernel/apparmor_restrict_unprivileged_userns',
] as const;
