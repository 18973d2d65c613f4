import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { buildHostProgram } from '../../../bridge-server/programs/build-host-program.ts';
import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { createProgress } from '../../../host/progress.ts';

const execute = promisify(execFile);

/** Who the agent is in these containers. */
export const agentId = 1234;

/**
 * `docker`: Docker's capabilities and its filter. `bare`: the same without capabilities. `mounts`: all capabilities, so that overlays can be mounted. `user`: as
 * `docker`, and begun by the agent's user.
 */
type ContainerKind = 'docker' | 'bare' | 'mounts' | 'user';

/** How a container ended, and what was printed. */
interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Containers with this host's files, a user `agent` whose home is `home/agent`, and a folder of their own. */
export interface EntryContainers extends AsyncDisposable {
  readonly folder: string;
  /** Runs an agent, words for bash, to its end. */
  run(options: RunOptions, agent: string): Promise<Ended>;
}

interface Events {
  /** Called once the agent has printed `ready`, with the id of the entrypoint. */
  readonly whenReady?: (pid: number) => void;
  /** The entrypoint gets `signal` when this has resolved, if it is still there. */
  readonly until?: Promise<unknown>;
  readonly signal?: NodeJS.Signals;
}

interface RunOptions extends Events {
  readonly kind?: ContainerKind;
  readonly settings?: Readonly<Record<string, string>>;
  /** What the host prepares in the container's mount namespace. */
  readonly script?: string;
}

/** Makes users, then runs `$1` and the words after it. */
const enter = (folder: string, script: string) => `
mount --bind ${folder}/passwd /etc/passwd && mount --bind ${folder}/group /etc/group || exit
${script}
exec "$@"`;

export async function openEntryContainers(): Promise<EntryContainers> {
  const built = await buildHostProgram('coppice-init', {
    cache: new CacheFolder(cachePath()),
    progress: createProgress(),
  });
  const folder = await mkdtemp(join(tmpdir(), 'coppice-containers-'));
  await chmod(folder, 0o755);
  const program = join(folder, 'coppice-init');
  await copyFile(built, program);
  const asInDocker = join(folder, 'as-in-docker');
  const flags = ['-std=gnu17', '-D_GNU_SOURCE', '-static'];
  await execute('gcc', [...flags, join(import.meta.dirname, 'as-in-docker.c'), '-o', asInDocker]);
  await mkdir(join(folder, 'home'));
  const home = join(folder, 'home/agent');
  await writeFile(
    join(folder, 'passwd'),
    `root:x:0:0::${folder}/home/root:/bin/sh\nagent:x:${agentId}:${agentId}::${home}:/bin/sh\n`,
  );
  await writeFile(join(folder, 'group'), `root:x:0:\nagent:x:${agentId}:\ntools:x:4321:agent\n`);
  const command = (kind: ContainerKind, script = '') => {
    const asUser = [
      '/usr/bin/setpriv',
      '--reuid',
      `${agentId}`,
      '--regid',
      `${agentId}`,
      '--clear-groups',
      '--',
    ];
    const inside = {
      docker: [asInDocker],
      bare: [asInDocker, '/usr/bin/setpriv', '--bounding-set', '-all', '--inh-caps', '-all', '--'],
      mounts: ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child=KILL'],
      user: [asInDocker, ...asUser],
    }[kind];
    return ['--mount', '--propagation', 'private', 'sh', '-c', enter(folder, script), 'sh', ...inside];
  };
  return {
    folder,
    run({ kind = 'docker', settings = {}, script, ...events }, agent) {
      const argv = [...command(kind, script), program, '--', '/bin/bash', '-c', agent];
      const env = {
        PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
        SESSION_USER: 'agent',
        ...settings,
      };
      return runToEnd(argv, { env, ...events });
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Registers hooks: containers for the tests of a describe, each of which begins with an empty `home` and `work`. */
export function containersOfTests() {
  let containers: EntryContainers;
  const at = (...names: string[]) => join(containers.folder, ...names);
  beforeAll(async () => {
    containers = await openEntryContainers();
  });
  afterAll(() => containers?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    for (const name of ['home', 'work', 'data', 'template'])
      await rm(at(name), { recursive: true, force: true });
    for (const name of ['home', 'work']) await mkdir(at(name));
  });
  return {
    /** The path of what is in their folder. */
    at,
    run: (...given: Parameters<EntryContainers['run']>) => containers.run(...given),
  };
}

function runToEnd(
  argv: readonly string[],
  { env, whenReady, until, signal = 'SIGTERM' }: Events & { readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  const child = spawn('unshare', argv, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => {
    stdout += bytes;
    if (stdout.endsWith('ready\n')) whenReady?.(firstProcess(child));
  });
  child.stderr.on('data', (bytes) => {
    stderr += bytes;
  });
  void until?.then(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(firstProcess(child), signal);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}

/** The first process of the container or, before there is one, what makes it. Never 0, which means our own group. */
function firstProcess({ pid }: { readonly pid?: number | undefined }): number {
  if (pid === undefined) throw new Error('The container was not started');
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
  return Number(first ?? pid);
}
