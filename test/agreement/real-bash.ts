import { execFile, spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type Answer,
  caseEnvironment,
  caseFolder,
  foldersOf,
  hostname,
  outputBytes,
  suiteFolder,
  systemFiles,
} from './case-place.ts';
import type { SuiteCase, SuiteFile } from './suite.ts';

const deadlineMs = 10_000;
const python = '/usr/bin/python3';

/** Ends of pipes, as the suite's own runner has them: Node's are sockets, of which `/dev/stdin` can not be opened. */
const pipesScript = `umask 022
{ { cat "$1/script" | { "\${@:2}"; echo $? >"$1/status"; } 2>&3 3>&- | head -c ${outputBytes} >"$1/stdout"; } 3>&1 |
  head -c ${outputBytes} >"$1/stderr"; }`;

/** What real bash made of a case, or why nothing can be said. */
export type RealAnswer = (Answer & { readonly type: 'answer' }) | { readonly type: 'unstable' | 'endless' };

/** The bash of this machine, each case in an empty tree of its own: some write where they like. */
export class RealBash implements AsyncDisposable {
  /** What it says of its version. */
  readonly version: string;
  /** Of how it runs, what its answers depend on. */
  readonly setting: string;
  readonly #folder: string;
  #runs = 0;

  private constructor(version: string, folder: string) {
    this.version = version;
    this.setting = JSON.stringify([version, machine, pipesScript]);
    this.#folder = folder;
  }

  /** @throws Error that names what the machine lacks */
  static async open(files: readonly SuiteFile[]): Promise<RealBash> {
    await access(python).catch(() => fail(`The suite's programs need ${python}`));
    const run = promisify(execFile);
    const { stdout } = await run('bash', ['--version']);
    const folder = await mkdtemp(join(tmpdir(), 'agreement-'));
    for (const { path, bytes, isExecutable } of files) {
      await write(join(folder, 'suite', path), bytes, isExecutable ? 0o755 : 0o644);
    }
    for (const [path, text] of systemFiles) await write(join(folder, path), text, 0o644);
    await run('bwrap', [...sandbox(folder, [caseFolder]), 'true']).catch((error: Error) =>
      fail(
        `Cases write where they like, so bash runs in bubblewrap (bwrap), which does not work: ${error.message}`,
      ),
    );
    return new RealBash(stdout.split('\n')[0] ?? '', folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** What it answers, if it does so twice. */
  async answer(one: SuiteCase): Promise<RealAnswer> {
    const first = await this.#run(one);
    if (!first) return { type: 'endless' };
    if (/\bdate\b/.test(one.code)) await delay(1_000);
    const second = await this.#run(one);
    const isSame = first.stdout === second?.stdout && first.status === second.status;
    return isSame ? { type: 'answer', ...first } : { type: 'unstable' };
  }

  /** `undefined` if it did not end. */
  async #run(one: SuiteCase): Promise<Answer | undefined> {
    const folder = join(this.#folder, `run-${this.#runs++}`);
    await mkdir(folder);
    await writeFile(join(folder, 'script'), one.code);
    const command = ['bwrap', ...sandbox(this.#folder, foldersOf(one)), 'bash'];
    const hasEnded = await runToEnd(['-c', pipesScript, 'bash', folder, ...command]);
    const read = async (name: string) => await readFile(join(folder, name), 'latin1').catch(() => '');
    const [stdout, stderr, status] = [await read('stdout'), await read('stderr'), await read('status')];
    await rm(folder, { recursive: true, force: true });
    return hasEnded && status !== '' ? { stdout, stderr, status: Number(status) } : undefined;
  }
}

/** Whether bash, and all that has its output, ended before the deadline. */
async function runToEnd(args: readonly string[]): Promise<boolean> {
  const child = spawn('bash', args, { detached: true, stdio: 'ignore' });
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => {
    // Its process group: what the case started is in it, unless it made another.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    resolve(false);
  }, deadlineMs);
  child.once('error', reject);
  child.once('exit', () => resolve(true));
  return await promise.finally(() => clearTimeout(timer));
}

/** Nothing of this machine but its programs; root, whoever runs this. */
const machine =
  `--unshare-user --uid 0 --gid 0 --unshare-net --unshare-uts --hostname ${hostname} --die-with-parent
  --tmpfs / --dev /dev --proc /proc --perms 1777 --dir /tmp --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib
  --symlink usr/lib64 /lib64 --ro-bind-try /etc/alternatives /etc/alternatives`.split(/\s+/);

/** `folder` has the suite's files and those of `/etc`. */
function sandbox(folder: string, folders: readonly string[]): string[] {
  return [
    ...machine,
    ...[...systemFiles.keys()].flatMap((path) => ['--ro-bind', `${folder}${path}`, path]),
    ...['--ro-bind', `${folder}/suite`, suiteFolder],
    ...folders.flatMap((path) => ['--dir', path]),
    ...['--chdir', caseFolder, '--clearenv'],
    ...[...caseEnvironment].flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

async function write(path: string, data: string | Uint8Array, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, data, { mode });
}

function fail(message: string): never {
  throw new Error(message);
}
