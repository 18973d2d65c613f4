import { SandboxError } from '../protocol/errors.ts';
import type { Change } from '../protocol/sandbox/history.ts';
import type { ChangeCounts, MachineUsage, SandboxReport } from '../protocol/sandbox-report.ts';
import type { ObjectId } from '../tree/content/object-id.ts';
import type { History } from '../tree/history/history.ts';
import type { RunLog } from './capture/run-log.ts';
import type { Snapshotter } from './capture/snapshotter.ts';
import type { SandboxMachine } from './machine/sandbox-machine.ts';
import { publicInfo, type SandboxRecord } from './sandbox-settings.ts';

export interface ReportParts {
  readonly info: SandboxRecord;
  readonly openedAtMs: number;
  readonly history: History;
  readonly snapshotter: Snapshotter;
  readonly image: { readonly tree: ObjectId | undefined };
  readonly machine: SandboxMachine;
  readonly runs: RunLog;
  /** Why captures are stopped. */
  readonly stopped: SandboxError | undefined;
}

/** What a sandbox is and did, as far as it is known. The machine was brought up to date before, if it could be. */
export async function takeReport(parts: ReportParts): Promise<SandboxReport> {
  const { info, openedAtMs, history, snapshotter, image, machine, runs, stopped } = parts;
  const usage = await usageOf(machine);
  const { captureWatch: watch } = machine;
  const base = image.tree ?? firstTree(history);
  const changes = base && (await countChanges(() => snapshotter.changesSince(base)));
  return {
    info: publicInfo(info),
    takenAtMs: Date.now(),
    openedAtMs,
    ...(usage === undefined ? {} : { usage }),
    history: {
      snapshots: history.list().length,
      ...(history.head === undefined ? {} : { head: history.head }),
    },
    ...(stopped === undefined ? {} : { capturesStopped: stopped.toData() }),
    ...(watch === undefined ? {} : { watch }),
    ...(changes === undefined ? {} : { changes }),
    commands: runs.report(),
  };
}

/** What a sandbox without an image began with, as long as that snapshot is there. */
function firstTree(history: History): ObjectId | undefined {
  return history.list().find(({ cause, parents }) => cause.type === 'image' && parents.length === 0)?.tree;
}

/** A machine that has failed uses nothing that anybody counts. */
async function usageOf(machine: SandboxMachine): Promise<MachineUsage | undefined> {
  const running = await machine.running().catch(() => undefined);
  const usage = running?.usage?.();
  return usage && Object.keys(usage).length > 0 ? usage : undefined;
}

/** Without network, or with a damaged object, there may be nothing to compare with. */
async function countChanges(
  list: () => Promise<readonly Pick<Change, 'type'>[]>,
): Promise<ChangeCounts | undefined> {
  try {
    const counts = { created: 0, modified: 0, deleted: 0, renamed: 0, metadata: 0 };
    for (const { type } of await list()) counts[type]++;
    return counts;
  } catch (error) {
    const { code } = SandboxError.from(error);
    if (code === 'missing-object' || code === 'corrupt-object' || code === 'asset-unavailable')
      return undefined;
    throw error;
  }
}
