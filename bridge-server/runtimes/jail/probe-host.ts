import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxError } from '../../../protocol/errors.ts';
import type { RootMount } from '../../contract.ts';
import { findControlGroups } from './control-groups/find-control-groups.ts';
import { startJail } from './start-jail.ts';

/** Whether something works here, or why not. */
type Finding = { readonly type: 'works' } | { readonly type: 'missing'; readonly reason: string };

export interface HostProbe {
  /** As `root`, ids of the image are kept apart; `rootless`, all are those of the bridge's user. */
  readonly privileges: 'root' | 'rootless';
  /** Without any, there is no limit of memory and processor time, and freezing is by signals. */
  readonly controlGroups:
    | { readonly type: 'works'; readonly version: 1 | 2 }
    | (Finding & { type: 'missing' });
  /** Namespaces, filters and everything else that a jail tests of itself. */
  readonly jail: Finding;
  /** The same on an overlay; `userxattr` as it has to be here. */
  readonly overlay: Finding & { readonly userxattr: boolean };
}

const smallest = { memoryMiB: 32, pids: 16, cpuShares: 1024 };

/** Finds out what this host can do by doing it: it starts two jails on empty folders. */
export async function probeHost({ launcher }: { readonly launcher: string }): Promise<HostProbe> {
  const privileges = process.geteuid?.() === 0 ? 'root' : 'rootless';
  const userxattr = privileges === 'rootless';
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
      jail,
      overlay: { ...overlay, userxattr },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryJail(root: RootMount, launcher: string): Promise<Finding> {
  const spec = { root, hostname: 'probe', limits: smallest, cgroup: `coppice-probe-${crypto.randomUUID()}` };
  try {
    const jail = await startJail(spec, { launcher });
    await jail[Symbol.asyncDispose]();
    return { type: 'works' };
  } catch (error) {
    return { type: 'missing', reason: SandboxError.from(error).message };
  }
}
