import type { Checkpoint } from '../../protocol/checkpoint.ts';
import { type RanCommand, ranCommands } from '../../protocol/sandbox/ran-commands.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { firstTerminal } from '../../recording/format/recording-event.ts';
import type { HistorySnapshot } from '../../tree/history/history.ts';
import { promptLine } from '../session-events/shown-text.ts';

/** Something that a history knows to have happened. */
export type PastStep = { readonly atMs: number } & (
  | { readonly type: 'snapshot'; readonly snapshot: HistorySnapshot }
  | { readonly type: 'event'; readonly event: RecordingEvent }
  /** The first terminal shows this. */
  | { readonly type: 'shown'; readonly text: string }
  /** It shows what it showed at a checkpoint. */
  | { readonly type: 'checkpoint'; readonly checkpoint: number }
);

/** The history and what was kept of output read the clock at slightly different instants. */
export const clockSlackMs = 20;

/** What happened between the first and the last of these snapshots, in the order of the clock: from `keptFromMs` on, what was shown and run is known otherwise. */
export function pastSteps(
  snapshots: readonly HistorySnapshot[],
  { checkpoints, keptFromMs }: { readonly checkpoints: readonly Checkpoint[]; readonly keptFromMs: number },
): readonly PastStep[] {
  const from = snapshots[0]?.takenAtMs ?? 0;
  const to = snapshots.at(-1)?.takenAtMs ?? 0;
  const inside = checkpoints.filter(
    ({ takenAtMs }) => takenAtMs >= from && takenAtMs <= to && takenAtMs < keptFromMs,
  );
  const hasScreens = inside.length > 0;
  const steps = snapshots.map(
    (snapshot): PastStep => ({ atMs: snapshot.takenAtMs, type: 'snapshot', snapshot }),
  );
  // What the first one was taken after is before it; the next command may have begun while it was taken.
  const ran = commandsOf(snapshots.slice(1))
    .filter(({ startedAtMs }) => startedAtMs < keptFromMs - clockSlackMs)
    .map((each) => ({ ...each, startedAtMs: Math.max(from, each.startedAtMs) }));
  const commands = ran.flatMap((each, index) =>
    commandSteps(each, { number: index + 1, isShown: !hasScreens }),
  );
  const shown = inside.map(
    ({ id, takenAtMs }): PastStep => ({ atMs: takenAtMs, type: 'checkpoint', checkpoint: id }),
  );
  return [...commands, ...steps, ...shown].toSorted((one, other) => one.atMs - other.atMs);
}

/** Each once: one that went on is named by several snapshots, and the last of them knows how it ended. */
function commandsOf(snapshots: readonly HistorySnapshot[]): readonly RanCommand[] {
  const commands = new Map<string, RanCommand>();
  for (const each of snapshots.flatMap(ranCommands)) {
    const key = `${each.startedAtMs} ${each.command}`;
    if (each.by !== 'process' && commands.get(key)?.durationMs === undefined) commands.set(key, each);
  }
  return [...commands.values()].toSorted((one, other) => one.startedAtMs - other.startedAtMs);
}

function commandSteps(
  { command: text, argv, by, startedAtMs, durationMs, exitCode, signal }: RanCommand,
  { number, isShown }: { readonly number: number; readonly isShown: boolean },
): readonly PastStep[] {
  const began: RecordingEvent = {
    ...{ type: 'command', command: number, text, by, terminal: firstTerminal },
    ...(argv ? { argv } : {}),
  };
  const shown = promptLine(text, { isRoot: false });
  const begun: PastStep[] = [
    { atMs: startedAtMs, type: 'event', event: began },
    ...(isShown ? [{ atMs: startedAtMs, type: 'shown', text: shown } as const] : []),
  ];
  if (durationMs === undefined || exitCode === undefined) return begun;
  const ended: RecordingEvent = {
    ...{ type: 'command-end', command: number, exitCode, durationMs },
    ...(signal === undefined ? {} : { signal }),
  };
  return [...begun, { atMs: startedAtMs + durationMs, type: 'event', event: ended }];
}
