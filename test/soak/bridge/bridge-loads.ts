import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { SandboxError } from '../../../protocol/errors.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { tarOf } from '../../fixtures/hostile-tars.ts';
import { controlGroupsNamed } from '../../host/jail/leftovers.ts';
import { mutatedArchive } from '../../long/mutate-archive.ts';
import { stressSandbox } from '../files/stress-sandbox.ts';
import { type BridgeRound, pause, untilEnd } from './bridge-round.ts';
import { compareClosed } from './compare-ledger.ts';
import { type LedgerEntry, type Load, type NotedFile, notedFile } from './ledger.ts';
import { type MappedFile, openMappedFile } from './mapped-file.ts';

const mappedBytes = 65_536;
/** After so many a sandbox is deleted, and another begun. */
const snapshotsOfSandbox = 40;
const stress = { rounds: 2, writesPerRound: 100 };
const home = '/home/user';
/** Where the hostile archives would like to write. */
const outside = `${home}/out ${home}/evil /etc/out /out /evil`;

interface OpenSandbox {
  readonly entry: LedgerEntry;
  readonly sandbox: Sandbox;
}

/** Writes through a mapping, takes snapshots, and closes the sandbox now and then. */
export async function writeMapped(round: BridgeRound, random: () => number): Promise<void> {
  let open: (OpenSandbox & { readonly file: MappedFile }) | undefined;
  const close = async () => {
    const closing = open;
    open = undefined;
    await closing?.file[Symbol.asyncDispose]();
    await closing?.sandbox.close();
  };
  await untilEnd(round, {
    name: 'mapped',
    onFailed: close,
    work: async () => {
      if (!open) {
        const { entry, sandbox } = await openSandbox(round, 'mapped');
        entry.closedWith = undefined;
        const path = `${home}/mapped-${Math.floor(random() * 4)}`;
        const file = await orClose(sandbox, () => openMappedFile(sandbox, { path, sizeBytes: mappedBytes }));
        open = { entry, sandbox, file };
      }
      const { entry, sandbox, file } = open;
      for (let count = 1 + random() * 8; count > 0; count--) {
        const text = random().toString(36).slice(2).padEnd(4, 'x');
        await file.write(Math.floor(random() * (mappedBytes - text.length)), text);
      }
      await takeSnapshot(round, { entry, sandbox, file: notedFile(file.path, file.content) });
      if (random() < 0.1 || entry.snapshots.size >= snapshotsOfSandbox) {
        const noted = notedFile(file.path, file.content);
        await close();
        entry.closedWith = noted;
      }
    },
  });
}

/** Uploads archives, good ones and hostile ones. */
export async function upload(round: BridgeRound, random: () => number): Promise<void> {
  const { found } = round;
  const keep = keepOpen(round, 'uploads');
  await untilEnd(round, {
    name: 'uploads',
    onFailed: keep.close,
    work: async () => {
      const { entry, sandbox } = await keep.open();
      await sandbox.run(`rm -rf ${home}/hostile && mkdir ${home}/hostile`);
      for (let count = random() * 4; count > 0; count--) {
        await putHostile(round, { id: entry.id, body: mutatedArchive(random) });
      }
      const { stdout } = await sandbox.run(`ls -d ${outside} 2>/dev/null`);
      if (stdout.trim() !== '') found.failures.push(`A hostile archive has written ${stdout.trim()}`);
      const content = random()
        .toString(36)
        .repeat(1 + Math.floor(random() * 5_000));
      const name = `upload-${Math.floor(random() * 20)}`;
      const tar = tarOf({ path: name, content });
      await putArchive(round, { id: entry.id, folder: home, body: random() < 0.5 ? gzipSync(tar) : tar });
      found.uploads++;
      await takeSnapshot(round, { entry, sandbox, file: notedFile(`${home}/${name}`, content) });
    },
  });
}

/** Runs the stress of files and mappings, and writes a file after it. */
export async function stressMappings(round: BridgeRound, random: () => number): Promise<void> {
  const { found } = round;
  const keep = keepOpen(round, 'stress');
  await untilEnd(round, {
    name: 'stress',
    onFailed: keep.close,
    work: async () => {
      const { entry, sandbox } = await keep.open();
      await sandbox.run(`rm -rf ${home}/stress-*`);
      const seed = Math.floor(random() * 2 ** 31);
      const { rounds, wrong } = await stressSandbox(sandbox, { seed, ...stress });
      found.stressCaptures += rounds;
      found.lost.push(...wrong.map((line) => `of the stress with seed ${seed}, ${line}`));
      const path = `${home}/stressed`;
      await sandbox.files.write(path, `${seed}`);
      await takeSnapshot(round, { entry, sandbox, file: notedFile(path, `${seed}`) });
    },
  });
}

/** Now and then kills any process of a jail, init among them. */
export async function killProcesses(
  { ending, found }: BridgeRound,
  { random, isGroup }: { readonly random: () => number; readonly isGroup: (name: string) => boolean },
): Promise<void> {
  for (;;) {
    await pause(500 + random() * 4_000, ending);
    if (ending.aborted) return;
    const groups = await controlGroupsNamed(isGroup);
    const listed = await Promise.all(
      groups.map((path) => readFile(`${path}/cgroup.procs`, 'utf8').catch(() => '')),
    );
    const pids = [...new Set(listed.join('\n').split('\n').filter(Boolean).map(Number))];
    const pid = pids[Math.floor(random() * pids.length)];
    if (pid === undefined) continue;
    try {
      process.kill(pid, 'SIGKILL');
      found.processKills++;
    } catch {
      // It has ended by itself.
    }
  }
}

/** The sandbox of a load from one piece of work to the next, until it has enough snapshots or `close`. */
function keepOpen(round: BridgeRound, load: Load): { open(): Promise<OpenSandbox>; close(): Promise<void> } {
  let kept: OpenSandbox | undefined;
  const close = async () => {
    const closing = kept;
    kept = undefined;
    await closing?.sandbox.close();
  };
  return {
    close,
    open: async () => {
      if (kept && kept.entry.snapshots.size >= snapshotsOfSandbox) await close();
      kept ??= await openSandbox(round, load);
      return kept;
    },
  };
}

/** The sandbox that a load is at; another after it has enough snapshots. */
async function openSandbox(round: BridgeRound, load: Load): Promise<OpenSandbox> {
  const { ledger, backend, found } = round;
  const entry = ledger.current.get(load);
  if (entry && entry.snapshots.size < snapshotsOfSandbox) {
    // A machine that was killed stays stopped where a client opens its sandbox again.
    await request(round, { method: 'POST', path: `/v1/sandboxes/${entry.id}/start` });
    const sandbox = await Sandbox.open(entry.id, { backend });
    await orClose(sandbox, () => compareClosed(entry, { sandbox, found }));
    return { entry, sandbox };
  }
  if (entry) {
    ledger.current.delete(load);
    ledger.forget(entry.id);
    await backend.delete({ id: entry.id });
    ledger.addDeleted(entry.id);
    found.deletions++;
  }
  const sandbox = await Sandbox.create({ backend, name: load });
  const made = ledger.addSandbox(sandbox.id);
  ledger.current.set(load, made);
  return { entry: made, sandbox };
}

/** Closes a sandbox with which `work` has failed. */
async function orClose<T>(sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    await sandbox.close();
    throw cause;
  }
}

async function takeSnapshot(
  { found }: BridgeRound,
  { entry, sandbox, file }: OpenSandbox & { readonly file: NotedFile },
): Promise<void> {
  // With a label it is not forgotten.
  const { id } = await sandbox.createSnapshot({ label: `${entry.snapshots.size}` });
  entry.snapshots.set(id, file);
  found.snapshots++;
}

async function putHostile(
  round: BridgeRound,
  { id, body }: { readonly id: string; readonly body: Uint8Array },
): Promise<void> {
  round.found.hostileUploads++;
  try {
    await putArchive(round, { id, folder: `${home}/hostile`, body });
  } catch (cause) {
    const { code } = SandboxError.from(cause);
    if (code !== 'invalid-argument' && code !== 'limit-exceeded') throw cause;
  }
}

async function putArchive(
  round: BridgeRound,
  { id, folder, body }: { readonly id: string; readonly folder: string; readonly body: Uint8Array },
): Promise<void> {
  await request(round, { method: 'PUT', path: `/v1/sandboxes/${id}/archive?path=${folder}`, body });
}

/** @throws SandboxError that the bridge answered */
async function request(
  { serving: { url, token } }: BridgeRound,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: Uint8Array },
): Promise<void> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body ? { body: new Uint8Array(body) } : {}),
  });
  const said = await answer.text();
  if (answer.ok) return;
  const { error } = JSON.parse(said) as { error: { code: SandboxError['code']; message: string } };
  throw new SandboxError(error.code, error.message);
}
