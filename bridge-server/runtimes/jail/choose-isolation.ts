import { mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxError } from '../../../protocol/errors.ts';
import { type Isolation, isolations } from '../../../protocol/sandbox/sandbox-info.ts';
import { type Attempt, type AttemptOptions, tryJail, tryOwnId } from './try-jail.ts';

/** What an operator can ask for; `auto` is the strongest that works. */
export const isolationChoices: readonly ['auto', ...typeof isolations] = ['auto', ...isolations];
export type IsolationChoice = (typeof isolationChoices)[number];

export interface ChosenIsolation {
  readonly isolation: Isolation;
  /** For people: who or what has chosen it, and why not a stronger one. */
  readonly why: string;
}

/** What jails without namespaces lack, whatever the host, for people. */
export const ownIdLacks: readonly string[] = [
  'no network, not even a loopback',
  'no /proc, so ps, top and what else reads it fail',
  'one user: chown, su and most of apt fail',
  'no System V IPC and no POSIX message queues',
  'host name, load and process ids of the host can be seen',
  'roots are copies',
];

/** Bytes of a disk on which a jail can be tried, with some to spare. */
const leastRoom = 1024 * 1024;

/** Why walls were chosen that were not refused. */
export const whyChosen = {
  auto: 'the strongest that works here',
  asked: 'the operator asked for it',
} as const;

interface ProbeOptions {
  readonly launcher: string;
  readonly folder: string;
}

/**
 * Finds the walls that jails of this host get by starting one, in a folder below `folder`, or in one for temporary files where
 * that has no room: what is there can still be read and deleted. Fails rather than to choose weaker ones than were asked for.
 * @throws unsupported with what is in the way; timeout, storage-full and the like when the host could not tell
 */
export async function chooseIsolation(
  asked: IsolationChoice,
  { launcher, folder }: ProbeOptions,
): Promise<ChosenIsolation> {
  try {
    return await probe(asked, { launcher, folder });
  } catch (error) {
    if (!(await isFull(folder))) throw error;
    return probe(asked, { launcher, folder: tmpdir() });
  }
}

async function probe(asked: IsolationChoice, { launcher, folder }: ProbeOptions): Promise<ChosenIsolation> {
  const own = await mkdtemp(join(folder, 'probe-'));
  try {
    let why = '';
    for (const isolation of asked === 'auto' ? isolations : [asked]) {
      const { finding, error } = await tryIsolation(isolation, {
        launcher,
        folder,
        path: join(own, isolation),
      });
      if (finding.type === 'works')
        return { isolation, why: `${why}${whyChosen[asked === 'auto' ? 'auto' : 'asked']}` };
      if (await isFull(folder)) {
        throw new SandboxError('storage-full', `Cannot try a jail in ${folder}: ${finding.reason}`);
      }
      if (error && !isAboutWalls(error)) throw error;
      why += `no ${isolation}: ${finding.reason}; `;
    }
    throw new SandboxError('unsupported', `Cannot run jails on this host: ${why.slice(0, -2)}`, {
      details: { feature: asked === 'auto' ? 'jails' : asked },
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function tryIsolation(
  isolation: Isolation,
  { path, ...options }: AttemptOptions & { readonly path: string },
): Promise<Attempt> {
  if (isolation === 'landlock') return tryOwnId(path, options);
  await mkdir(path);
  return tryJail({ type: 'bind', path }, options);
}

/** Asked of the disk: Linux says of a limit of namespaces, too, that no space is left. */
async function isFull(folder: string): Promise<boolean> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  return bavail * bsize < leastRoom || (files > 0 && ffree === 0);
}

/** A host that is busy or full has said nothing about its walls, and gives no reason to take weaker ones. */
function isAboutWalls({ code }: SandboxError): boolean {
  return code === 'machine-failed' || code === 'unsupported';
}
