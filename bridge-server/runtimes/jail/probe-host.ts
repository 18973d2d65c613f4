import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxError } from '../../../protocol/errors.ts';
import type { RootMount } from '../../contract.ts';
import { ownPrivileges, type Privileges } from '../../privileges.ts';
import { findControlGroups } from './control-groups/find-control-groups.ts';
import { startJail } from './start-jail.ts';

/** Whether something works here, or why not. */
type Finding = { readonly type: 'works' } | { readonly type: 'missing'; readonly reason: string };

export interface HostProbe {
  readonly privileges: Privileges;
  /** Without any, there is no limit of memory and processor time, and freezing is by signals. */
  readonly controlGroups:
    | { readonly type: 'works'; readonly version: 1 | 2 }
    | (Finding & { type: 'missing' });
  /** Namespaces, filters and everything else that a jail tests of itself. */
  readonly jail: Finding;
  /** The second wall, without which jails start all the same, as far as this kernel knows how. */
  readonly landlock: Finding & { readonly lacks: readonly string[] };
  /** The same on an overlay; `userxattr` as it has to be here. */
  readonly overlay: Finding & { readonly userxattr: boolean };
}

const smallest = { memoryMiB: 32, pids: 16, cpuShares: 1024 };

/** Finds out what this host can do by doing it: it starts two jails on empty folders. */
export async function probeHost({ launcher }: { readonly launcher: string }): Promise<HostProbe> {
  const privileges = ownPrivileges();
  const userxattr = privileges !== 'root';
  const found = await findControlGroups();
  const folder = await mkdtemp(join(tmpdir(), 'coppice-probe-'));
  try {
    const [path, upper, work] = ['root', 'upper', 'work'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const one of [path, upper, work]) await mkdir(one);
    const jail = await tryJail({ type: 'bind', path }, launcher);
    const overlay = await tryJail({ type: 'overlay', lower: [path], upper, work, userxattr }, launcher);
    return {
      privileges,
      controlGroups:
        found.type === 'found'
          ? { type: 'works', version: found.maker.version }
          : { type: 'missing', reason: found.reason },
      jail: jail.finding,
      landlock: findLandlock(jail),
      overlay: { ...overlay.finding, userxattr },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Attempt {
  readonly finding: Finding;
  readonly landlockAbi: number;
}

async function tryJail(root: RootMount, launcher: string): Promise<Attempt> {
  const spec = { root, hostname: 'probe', limits: smallest, cgroup: `coppice-probe-${crypto.randomUUID()}` };
  try {
    const jail = await startJail(spec, { launcher });
    await jail[Symbol.asyncDispose]();
    return { finding: { type: 'works' }, landlockAbi: jail.landlockAbi };
  } catch (error) {
    return { finding: { type: 'missing', reason: SandboxError.from(error).message }, landlockAbi: 0 };
  }
}

/** By the version that has it first (landlock(7), and guest/launch/landlock.c for what is used). */
const landlockParts = [
  { abi: 5, what: 'ioctl on devices' },
  { abi: 6, what: 'signals and abstract sockets' },
] as const;

function findLandlock({ finding, landlockAbi }: Attempt): HostProbe['landlock'] {
  const lacks = landlockParts.filter(({ abi }) => abi > landlockAbi).map(({ what }) => what);
  if (landlockAbi > 0) return { type: 'works', lacks };
  const reason =
    finding.type === 'missing'
      ? 'no jail has started'
      : 'this kernel has it not, or switched off, or in its first version, which lets no file be moved';
  return { type: 'missing', reason, lacks };
}
