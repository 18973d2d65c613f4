import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { BridgeLab } from '../lab/bridge-lab.ts';

const run = promisify(execFile);

/** 400 source files of some 4 KiB, as a shell makes them in a sandbox and here. */
const makeProject = `
set -e
for ((n = 0; n < 400; n++)); do
  mkdir -p src/part-$((n / 20))
  for ((line = 0; line < 100; line++)); do
    echo "const value_$((n * line)) = compute($line, $((n * 7919 % 1000)));"
  done > src/part-$((n / 20))/file-$n.js
done`;

/** A line in one file of each of 20 folders. */
const editProject = `
set -e
for ((n = 0; n < 400; n += 20)); do
  sed -i '50s/compute/computeAgain/' src/part-$((n / 20))/file-$n.js
done`;

const largeBytes = 64 * 1024 * 1024;

/** `sync_bytes_ratio`, `sync_small`: what it moves to bring a sandbox elsewhere up to a new snapshot. */
export const sync: Benchmark<BridgeLab> = { keys: ['sync_bytes_ratio', 'sync_small'], measure };

async function measure(lab: BridgeLab): Promise<Figures> {
  const backend = await lab.backend();
  const oursBytes = await movedBytes(backend, { make: makeProject, edit: editProject });
  const gitBytes = await pushedBytes();
  const smallBytes = await movedBytes(backend, {
    make: `head -c ${largeBytes} /dev/urandom > large`,
    edit: 'printf x | dd of=large bs=1 seek=33333333 conv=notrunc',
  });
  return {
    sync_bytes_ratio: {
      value: Number((oursBytes / gitBytes).toFixed(3)),
      details: { oursBytes, gitBytes, editedFiles: 20, git: 'the thin pack that a push sends' },
    },
    sync_small: {
      value: Number((smallBytes / largeBytes).toFixed(6)),
      details: { movedBytes: smallBytes, fileBytes: largeBytes },
    },
  };
}

/** What `copyInto` moves of an edit to a copy of the sandbox, both behind the bridge's WebSocket. */
async function movedBytes(
  backend: SandboxBackend,
  { make, edit }: { make: string; edit: string },
): Promise<number> {
  await using near = await Sandbox.create({ backend });
  await expectSuccess(near, make);
  await using far = await near.copyTo(backend);
  await expectSuccess(near, edit);
  let moved = 0;
  await near.copyInto(far, { onProgress: (bytes) => (moved = bytes) });
  return moved;
}

async function expectSuccess(sandbox: Sandbox, command: string): Promise<void> {
  const { exitCode, stderr } = await sandbox.run(command);
  if (exitCode !== 0) throw new Error(`Not done: ${stderr}`);
}

async function pushedBytes(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-push-'));
  try {
    const shell = (script: string) => run('bash', ['-c', script], { cwd: folder });
    const commit = 'git add -A && git -c user.name=bench -c user.email=bench@localhost commit -qm commit';
    await shell(`${makeProject}\ngit init -q\n${commit}`);
    await shell(`${editProject}\n${commit}`);
    const pack =
      "printf 'HEAD\\n^HEAD~1\\n' | git pack-objects -q --revs --thin --delta-base-offset --stdout";
    const { stdout } = await shell(`${pack} | wc -c`);
    return Number(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}
