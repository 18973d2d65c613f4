import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openShells } from '../../../cli/place/open-shell-place.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { RewindLab } from '../lab/rewind-lab.ts';
import { median, round } from '../median.ts';

const snapshots = 10_000;
const name = 'of-many-snapshots';
const maxBuffer = 64 * 1024 * 1024;

/** `cli_ms_ratio`: the log of a long history, whole, and `git log --oneline` of as many commits, by turns. */
export const log: Benchmark<RewindLab> = { keys: ['cli_ms_ratio'], measure };

async function measure(lab: RewindLab): Promise<Figures> {
  const cli = await lab.cli();
  const repository = await mkdtemp(join(tmpdir(), 'coppice-log-'));
  const [ourMs, gitMs]: [number[], number[]] = [[], []];
  try {
    await makeCommits(repository);
    await makeSnapshots(cli.folder);
    for (let n = 0; n <= lab.runs; n++) {
      ourMs.push(await timed(() => promisedLines(cli.run('log', '--sandbox', name))));
      const git = () => promisify(execFile)('git', ['-C', repository, 'log', '--oneline'], { maxBuffer });
      gitMs.push(await timed(() => promisedLines(git().then(({ stdout }) => stdout))));
    }
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
  // The first of each warms up.
  const [ours, theirs] = [median(ourMs.slice(1)), median(gitMs.slice(1))];
  return {
    cli_ms_ratio: {
      value: round(ours / theirs),
      details: { logMs: round(ours), gitMs: round(theirs), snapshots, runs: lab.runs },
    },
  };
}

/** @throws Error where not all of them were printed */
async function promisedLines(output: Promise<string>): Promise<void> {
  const lines = (await output).split('\n').length - 1;
  if (lines < snapshots) throw new Error(`Only ${lines} lines were printed`);
}

async function makeSnapshots(folder: string): Promise<void> {
  await using host = await openShells(folder, new SandboxError('unsupported', 'There are shells only'));
  await using sandbox = await Sandbox.create({ backend: host.backend, name });
  for (let n = 0; n < snapshots; n++) await sandbox.createSnapshot({ label: `step ${n}` });
}

async function makeCommits(repository: string): Promise<void> {
  await promisify(execFile)('git', ['init', '-q', repository]);
  const git = spawn('git', ['-C', repository, 'fast-import', '--quiet'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(git, 'close');
  const who = 'committer Somebody <somebody@example.org>';
  for (let n = 0; n < snapshots; n++) {
    const [message, text] = [`step ${n}`, `${n}\n`];
    git.stdin.write(
      `commit refs/heads/main\n${who} ${1_700_000_000 + n} +0000\ndata ${message.length}\n${message}\n`,
    );
    git.stdin.write(`M 644 inline file\ndata ${text.length}\n${text}\n`);
  }
  git.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  await promisify(execFile)('git', ['-C', repository, 'symbolic-ref', 'HEAD', 'refs/heads/main']);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
