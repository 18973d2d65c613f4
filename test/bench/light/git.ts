import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import git, { type PromiseFsClient } from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { shellBackend } from '../../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { type GitServer, openGitServer } from '../../http/git-server.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { LightLab } from '../lab/light-lab.ts';
import { median, round } from '../median.ts';
import { memoryFiles } from './memory-files.ts';

const run = promisify(execFile);
const directories = 100;
const filesInDirectory = 20;
const files = directories * filesInDirectory;
const dir = '/home/user/project';
const author = { name: 'Ada', email: 'ada@example.org' };

interface Times {
  readonly ours: number[];
  readonly library: number[];
}

/** `clone_ratio`: a shallow clone of 2,000 files into the tree, into maps of the same library, and by git into a folder, by turns. */
export const clone: Benchmark<LightLab> = { keys: ['clone_ratio'], measure: measureClone };

/** `git_add_ratio`: one changed file among 2,000 is added and committed, by `sandbox.git` and by the library alone, by turns. */
export const gitAdd: Benchmark<LightLab> = { keys: ['git_add_ratio'], measure: measureAdd };

async function measureClone({ runs }: LightLab): Promise<Figures> {
  await using server = await serveRepository();
  const times = { ours: [] as number[], library: [] as number[], git: [] as number[] };
  for (let n = 0; n <= runs; n++) {
    await using sandbox = await newSandbox();
    const fs = await newMemory();
    const oursMs = await timeMs(() => cloneOurs(server, sandbox));
    const libraryMs = await timeMs(() => cloneLibrary(server, fs));
    const gitMs = await timeGitClone(server);
    if (n === 0) continue;
    times.ours.push(oursMs);
    times.library.push(libraryMs);
    times.git.push(gitMs);
  }
  return { clone_ratio: figure(times, { gitMs: round(median(times.git)) }) };
}

async function measureAdd({ runs }: LightLab): Promise<Figures> {
  await using server = await serveRepository();
  await using sandbox = await newSandbox();
  const fs = await newMemory();
  await Promise.all([cloneOurs(server, sandbox), cloneLibrary(server, fs)]);
  const times: Times = { ours: [], library: [] };
  for (let n = 0; n <= runs; n++) {
    const path = `${dir}/d${n % directories}/f${n % filesInDirectory}`;
    const [text, message] = [`changed ${n}\n`, `change ${n}`];
    await sandbox.files.write(path, text);
    await fs.promises.writeFile(path, text);
    const oursMs = await timeMs(async () => {
      await sandbox.git.add({ directory: dir });
      await sandbox.git.commit({ directory: dir, message, author });
    });
    const libraryMs = await timeMs(async () => {
      await git.add({ fs, dir, filepath: '.' });
      await git.commit({ fs, dir, message, author });
    });
    if (n === 0) continue;
    times.ours.push(oursMs);
    times.library.push(libraryMs);
  }
  return { git_add_ratio: figure(times, {}) };
}

function figure({ ours, library }: Times, details: Readonly<Record<string, number>>) {
  const [oursMs, libraryMs] = [median(ours), median(library)];
  return {
    value: round(oursMs / libraryMs),
    details: {
      oursMs: round(oursMs),
      libraryMs: round(libraryMs),
      ...details,
      allOursMs: ours.map((ms) => round(ms)),
      allLibraryMs: library.map((ms) => round(ms)),
      files,
      where: 'Node',
    },
  };
}

/** A bare repository with the files, of some 300 bytes each, behind git's own server on the loopback. */
async function serveRepository(): Promise<GitServer> {
  const server = await openGitServer({ isPlain: true });
  const script = `git init --quiet --initial-branch=main work; cd work
    for ((d = 0; d < ${directories}; d++)); do
      mkdir d$d
      for ((f = 0; f < ${filesInDirectory}; f++)); do printf '%0300d %s\\n' $((d * 1000 + f)) $RANDOM > d$d/f$f; done
    done
    git add .; git -c user.name=B -c user.email=b@c commit --quiet -m first; git clone --quiet --bare . ../a.git`;
  try {
    const env = { PATH: process.env.PATH, HOME: server.folder, GIT_CONFIG_NOSYSTEM: '1' };
    await run('bash', ['-ec', script], { cwd: server.folder, env });
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

function newSandbox(): Promise<Sandbox> {
  return Sandbox.create({ backend: shellBackend() });
}

async function newMemory(): Promise<PromiseFsClient> {
  const fs = memoryFiles();
  for (const path of ['/home', '/home/user', dir]) await fs.promises.mkdir(path);
  return fs;
}

async function cloneOurs(server: GitServer, sandbox: Sandbox): Promise<void> {
  await sandbox.git.clone({ url: server.url('/a.git'), directory: dir });
}

function cloneLibrary(server: GitServer, fs: PromiseFsClient): Promise<void> {
  return git.clone({ fs, http, dir, url: server.url('/a.git'), depth: 1, singleBranch: true });
}

/** Real git, into a folder of the host. */
async function timeGitClone(server: GitServer): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-clone-'));
  try {
    const words = ['clone', '--quiet', '--depth', '1', server.url('/a.git'), join(folder, 'project')];
    const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
    return await timeMs(() => run('git', words, { env }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
