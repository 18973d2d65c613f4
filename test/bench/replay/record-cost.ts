import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { inRepository } from '../../../host/repository.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { toAsciicast } from '../../../recording/export/to-asciicast.ts';
import { readRecording } from '../../../recording/read/read-recording.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { SandboxRecording } from '../../../sdk/sandbox-recording.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { ReplayLab } from '../lab/replay-lab.ts';
import { median, round } from '../median.ts';

/** Copies Python's library, compiles it and packs it, and tells of each file. */
const build = `rm -rf ~/build; mkdir -p ~/build; cp -rv /usr/lib/python3.*/[a-c]* ~/build
python3 -m compileall -f ~/build; tar czf ~/build.tgz -C ~ build`;

/** `record_overhead`: a build in a jail while it is recorded, and without, by turns. */
export const recordOverhead: Benchmark<ReplayLab> = { keys: ['record_overhead'], measure: measureOverhead };

/** `size_ratio`: a recording of an hour of edits, and what has the same without us: a packed asciicast and a bundle of git. */
export const recordSize: Benchmark<ReplayLab> = { keys: ['size_ratio'], measure: measureSize };

async function measureOverhead(lab: ReplayLab): Promise<Figures> {
  await using sandbox = await Sandbox.create({ backend: await lab.host.backend() });
  const [recordedMs, plainMs]: [number[], number[]] = [[], []];
  const timeBuild = async (): Promise<number> => {
    const begunAt = performance.now();
    const { exitCode } = await sandbox.run(build);
    if (exitCode !== 0) throw new Error(`The build has failed (${exitCode})`);
    return performance.now() - begunAt;
  };
  const recorded = async (): Promise<void> => {
    await using recording = await sandbox.record();
    const file = readAll(recording);
    recordedMs.push(await timeBuild());
    await recording.stop();
    await file;
  };
  for (let n = 0; n <= lab.runs; n++) {
    const plain = async () => void plainMs.push(await timeBuild());
    for (const turn of n % 2 === 0 ? [recorded, plain] : [plain, recorded]) await turn();
  }
  // The first of each warms up.
  const [ours, theirs] = [median(recordedMs.slice(1)), median(plainMs.slice(1))];
  const details = { recordedMs: round(ours), plainMs: round(theirs), runs: lab.runs };
  return { record_overhead: { value: round(ours / theirs), details } };
}

async function measureSize(lab: ReplayLab): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-states-'));
  try {
    const repository = join(folder, 'project');
    await mkdir(repository);
    await git(repository, 'init', '--quiet');
    const recording = await recordEdits(await lab.host.backend(), async (path, text) => {
      await mkdir(dirname(join(repository, path)), { recursive: true });
      await writeFile(join(repository, path), text);
      await git(repository, 'add', '--all');
      await git(repository, 'commit', '--quiet', '--message', path);
    });
    await git(repository, 'bundle', 'create', '--quiet', join(folder, 'all.bundle'), '--all');
    const { size: bundleBytes } = await stat(join(folder, 'all.bundle'));
    const stream = await readRecording(new Blob([recording]).stream());
    const session = { header: stream.header, events: () => stream.events() };
    let asciicast = '';
    for await (const line of toAsciicast(session, { version: 3 })) asciicast += line;
    const asciicastBytes = gzipSync(asciicast).length;
    const recordingBytes = gzipSync(recording).length;
    const value = round(recordingBytes / (asciicastBytes + bundleBytes));
    return { size_ratio: { value, details: { recordingBytes, asciicastBytes, bundleBytes } } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes each page of the guides, then a second version of it, and shows both; `onWrite` does the same elsewhere. */
async function recordEdits(
  backend: SandboxBackend,
  onWrite: (path: string, text: string) => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>> {
  await using sandbox = await Sandbox.create({ backend });
  await using recording = await sandbox.record();
  const file = readAll(recording);
  await sandbox.files.makeDirectory('/home/user/project');
  const guides = inRepository('docs/guides');
  for (const name of (await readdir(guides)).filter((each) => each.endsWith('.md'))) {
    const text = await readFile(join(guides, name), 'utf8');
    for (const version of [text, text.replaceAll('sandbox', 'machine')]) {
      await sandbox.files.write(`/home/user/project/${name}`, version);
      await sandbox.run(`head -50 ${name}; wc ${name}`, { cwd: '/home/user/project' });
      await sandbox.history.settle();
      await onWrite(name, version);
    }
  }
  await recording.stop();
  return file;
}

/** Begins at once. Whoever gives the recording up need not wait for it. */
function readAll(recording: SandboxRecording): Promise<Uint8Array<ArrayBuffer>> {
  const all = readPieces(recording);
  all.catch(() => undefined);
  return all;
}

async function readPieces(recording: SandboxRecording): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of recording) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

async function git(directory: string, ...words: string[]): Promise<void> {
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@coppice.example'];
  await promisify(execFile)('git', ['-C', directory, ...author, ...words]);
}
