import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPrivileges, type Privileges } from '../../privileges.ts';
import { findControlGroups } from './control-groups/find-control-groups.ts';
import { type Attempt, type Finding, tryJail, tryOwnId } from './try-jail.ts';

export interface HostProbe {
  readonly privileges: Privileges;
  /** Without any, there is no limit of memory and processor time, and freezing is by signals. */
  readonly controlGroups:
    | { readonly type: 'works'; readonly version: 1 | 2 }
    | (Finding & { type: 'missing' });
  /** Namespaces, filters and everything else that a jail tests of itself. */
  readonly jail: Finding;
  /** The same for a jail without namespaces. */
  readonly ownId: Finding;
  /** The second wall, without which jails start all the same, as far as this kernel knows how. */
  readonly landlock: Finding & { readonly lacks: readonly string[] };
  /** The same on an overlay; `userxattr` as it has to be here. */
  readonly overlay: Finding & { readonly userxattr: boolean };
}

/** Finds out what this host can do by doing it: it starts three jails on empty folders. */
export async function probeHost({
  launcher,
  folder: place = tmpdir(),
}: {
  readonly launcher: string;
  /** Where to make them; some file systems have no devices, which only roots of jails without namespaces need. */
  readonly folder?: string;
}): Promise<HostProbe> {
  const privileges = ownPrivileges();
  const userxattr = privileges !== 'root';
  const found = await findControlGroups();
  const folder = await mkdtemp(join(place, 'coppice-probe-'));
  try {
    const [path, upper, work] = ['root', 'upper', 'work'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const one of [path, upper, work]) await mkdir(one);
    const options = { launcher, folder: place };
    const jail = await tryJail({ type: 'bind', path }, options);
    const ownId = await tryOwnId(join(folder, 'own'), options);
    const overlay = await tryJail({ type: 'overlay', lower: [path], upper, work, userxattr }, options);
    return {
      privileges,
      controlGroups:
        found.type === 'found'
          ? { type: 'works', version: found.maker.version }
          : { type: 'missing', reason: found.reason },
      jail: jail.finding,
      ownId: ownId.finding,
      landlock: findLandlock(jail.finding.type === 'works' ? jail : ownId),
      overlay: { ...overlay.finding, userxattr },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
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
