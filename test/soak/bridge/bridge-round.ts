import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, SandboxError } from '../../../protocol/errors.ts';
import type { BridgeConnection } from '../../../sdk/connect.ts';
import type { Serving } from '../../host/serving.ts';
import { ProgramEnded } from '../files/line-program.ts';
import type { Ledger } from './ledger.ts';

/** What was done, and what was found. */
export interface BridgeSoakFound {
  rounds: number;
  /** Acknowledged snapshots, and comparisons of a file with what was noted of it. */
  snapshots: number;
  compared: number;
  /** Captures of the stress that were compared with what its program reads. */
  stressCaptures: number;
  uploads: number;
  hostileUploads: number;
  deletions: number;
  /** Signals to bridges, by their names, and to processes in jails. */
  readonly bridgeEnds: Record<string, number>;
  processKills: number;
  /** Jails that a bridge went on with. */
  continued: number;
  /** Rounds that began on a full disk or filled it. */
  fullDisks: number;
  /** Work that failed as it may: codes of errors, and programs that ended. */
  readonly refusals: Record<string, number>;
  /** What was acknowledged and is not so. */
  readonly lost: string[];
  /** Failures that are mistakes of the bridge, and what it has left on the host. */
  readonly failures: string[];
}

/** One bridge, from its start to its end. */
export interface BridgeRound {
  readonly serving: Serving;
  readonly backend: BridgeConnection;
  readonly ledger: Ledger;
  readonly found: BridgeSoakFound;
  /** From when its end is asked for. */
  readonly ending: AbortSignal;
}

/** What may happen to work where the disk is full and jails end; whether the bridge is there is looked at apart. */
const excused: ReadonlySet<ErrorCode> = new Set([
  ...(['storage-full', 'machine-failed', 'connection-lost', 'aborted', 'busy', 'conflict'] as const),
]);
/** What may not happen even to work of which a process was killed meanwhile. */
const inexcusable: ReadonlySet<ErrorCode> = new Set([
  ...(['internal', 'corrupt-object', 'missing-object', 'protocol-violation', 'unauthenticated'] as const),
]);
const pauseAfterFailureMs = 50;

/** Does `work` over and over until the bridge ends; `onFailed` after it failed before that. */
export async function untilEnd(
  { ending, found }: BridgeRound,
  { name, work, onFailed }: { readonly name: string; work(): Promise<void>; onFailed(): Promise<void> },
): Promise<void> {
  while (!ending.aborted) {
    const kills = found.processKills;
    try {
      await work();
    } catch (cause) {
      if (ending.aborted) return;
      const { code, message } = SandboxError.from(cause);
      countIn(found.refusals, cause instanceof ProgramEnded ? 'program-ended' : code);
      const isExcused = excused.has(code) || (found.processKills > kills && !inexcusable.has(code));
      if (!isExcused && !(cause instanceof ProgramEnded)) {
        found.failures.push(`${name}: ${code}: ${message}`);
        return;
      }
      await onFailed().catch(() => undefined);
      await pause(pauseAfterFailureMs, ending);
    }
  }
}

export function countIn(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Until then, or until the bridge is to end. */
export async function pause(ms: number, ending: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: ending }).catch(() => undefined);
}
