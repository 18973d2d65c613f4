import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SandboxError } from '../../../../protocol/errors.ts';
import { limits } from '../../../../protocol/limits.ts';
import { bootId } from '../../../boot-id.ts';
import type { JailLimits } from '../../../contract.ts';
import type { ControlGroupMaker } from './control-groups.ts';
import { findControlGroups } from './find-control-groups.ts';
import { findDisk } from './find-disk.ts';
import { probeGroupName } from './group-names.ts';

const execute = promisify(execFile);

/** Limits that not every host with control groups can hold a jail to: that it can, or why not. */
export interface LimitProbe {
  /** What holds jails to `groupLimits`. */
  readonly groups: Finding;
  readonly cpus: Finding;
  /** `disk` as in `JailLimits`. */
  readonly ioMiBps: Finding<{ readonly disk: string }>;
}

type Finding<Works = object> =
  | ({ readonly type: 'works' } & Works)
  | { readonly type: 'missing'; readonly reason: string };

const usual: JailLimits = { memoryMiB: 64, pids: 64, cpuShares: 256 };

/**
 * What is written at 1 MiB/s takes a quarter of a second, of which the kernel lets the first tenth of a
 * second's pass at once (blk-throttle.c, DFL_THROTL_SLICE): little to wait for, and much for a disk.
 */
const probeBlocks = 4;
const probeBlockBytes = 65_536;
const mostTimes = 2;
const limitedMs = (probeBlocks * probeBlockBytes * 1_000) / 1_048_576;

/**
 * Finds out what jails can be held to whose files are in `folder`, by making such groups and writing there. With
 * `remembers`, a limit of writing that was seen to work is only made, and not timed again until the next boot.
 */
export async function probeLimits(
  folder: string,
  { remembers = false }: { readonly remembers?: boolean } = {},
): Promise<LimitProbe> {
  const found = await findControlGroups();
  if (found.type === 'none') {
    const missing = { type: 'missing', reason: found.reason } as const;
    return { groups: missing, cpus: missing, ioMiBps: missing };
  }
  const [cpus, ioMiBps] = await Promise.all([
    probeCpus(found.maker, folder),
    probeIo(found.maker, { folder, remembers }),
  ]);
  return { groups: { type: 'works' }, cpus, ioMiBps };
}

async function probeCpus(maker: ControlGroupMaker, folder: string): Promise<LimitProbe['cpus']> {
  try {
    const name = await probeGroupName(folder);
    await using _groups = await maker.make(name, { ...usual, cpus: limits.hostCpus.min });
    return { type: 'works' };
  } catch (error) {
    return missing(error);
  }
}

async function probeIo(
  maker: ControlGroupMaker,
  { folder, remembers }: { readonly folder: string; readonly remembers: boolean },
): Promise<LimitProbe['ioMiBps']> {
  const disk = await findDisk(folder);
  if (disk === undefined) return { type: 'missing', reason: `${folder} is on no disk of its own` };
  await using stack = new AsyncDisposableStack();
  try {
    const scratch = await mkdtemp(join(folder, 'probe-'));
    stack.defer(() => rm(scratch, { recursive: true, force: true }));
    await using groups = await maker.make(await probeGroupName(folder), {
      ...usual,
      io: { disk, mibPerSecond: 1 },
    });
    const note = { path: join(folder, 'held-disk'), text: `${await bootId()} ${disk}\n` };
    if (remembers && (await isNoted(note))) return { type: 'works', disk };
    let freeMs = Number.POSITIVE_INFINITY;
    let heldMs = 0;
    // A disk that is busy makes any write slow: the quickest tells.
    for (let times = 0; times < mostTimes; times++) {
      freeMs = Math.min(freeMs, await timeWriting(scratch, []));
      heldMs = await timeWriting(scratch, groups.joins);
      if (heldMs - freeMs <= limitedMs / 3) continue;
      // A disk without room for the note does no harm.
      if (remembers) await writeFile(note.path, note.text, { mode: 0o600 }).catch(() => undefined);
      return { type: 'works', disk };
    }
    const times = `${freeMs.toFixed()} ms without and ${heldMs.toFixed()} ms with a limit`;
    return { type: 'missing', reason: `a limit has no effect on disk ${disk}: ${times}` };
  } catch (error) {
    return missing(error);
  }
}

async function isNoted({ path, text }: { readonly path: string; readonly text: string }): Promise<boolean> {
  return (await readFile(path, 'utf8').catch(() => undefined)) === text;
}

/** Past the page cache, which neither version counts against who writes in every case. */
async function timeWriting(folder: string, joins: readonly string[]): Promise<number> {
  const script =
    'file=$1; shift; for join; do echo 0 > "$join" || exit; done; exec dd if=/dev/zero of="$file"';
  const size = `bs=${probeBlockBytes} count=${probeBlocks} oflag=direct status=none`;
  const args = ['-c', `${script} ${size}`, 'sh', join(folder, 'file'), ...joins];
  const begunMs = performance.now();
  await execute('/bin/sh', args, { timeout: limits.limitProbeTimeoutMs });
  return performance.now() - begunMs;
}

function missing(error: unknown): { readonly type: 'missing'; readonly reason: string } {
  return { type: 'missing', reason: SandboxError.from(error).message.trim() };
}
