import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { ranCommands } from '../../protocol/sandbox/ran-commands.ts';

/** A snapshot as `--json` prints it: its record, its commands as objects, and times in ISO 8601. */
export function snapshotValue({ extensions, takenAtMs, ...snapshot }: SnapshotInfo, head: string): object {
  const commands = ranCommands(extensions ? { extensions } : {}).map(({ startedAtMs, ...command }) => ({
    ...command,
    startedAt: isoTime(startedAtMs),
  }));
  return { ...snapshot, takenAt: isoTime(takenAtMs), commands, isHead: snapshot.id === head };
}

/** A time that no calendar has is none. */
export function isoTime(ms: number): string | undefined {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The digits of an id that commands print. */
export function shortId(id: string): string {
  return id.slice(0, 12);
}
