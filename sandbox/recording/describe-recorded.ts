import { ranCommands } from '../../protocol/sandbox/ran-commands.ts';
import type { RecordedSnapshot } from '../../recording/format/recording-event.ts';
import type { HistorySnapshot } from '../../tree/history/history.ts';
import type { SnapshotRecord } from '../../tree/history/snapshot-record.ts';

/** What a recording says of a snapshot. */
export function describeRecorded(snapshot: HistorySnapshot): RecordedSnapshot {
  const { id, parents, changes, takenAtMs, memory } = snapshot;
  const label = labelOf(snapshot);
  return {
    ...{ type: 'snapshot', id, parents, label, changes, takenAtMs },
    ...(memory === undefined ? {} : { hasMemory: true }),
  };
}

/** What a history shows for it, in one line. */
function labelOf(snapshot: SnapshotRecord): string {
  const { cause, changes } = snapshot;
  switch (cause.type) {
    case 'image':
      return 'start';
    case 'manual':
      return cause.label || 'snapshot';
    case 'capture': {
      const processes = ranCommands(snapshot).map(({ command }) => command);
      const texts = [cause.commands, processes, changes.paths.slice(0, 3)].map((each) => each.join(' ; '));
      return texts.find((text) => text !== '') ?? 'changes';
    }
    case 'checkout':
      return 'before going back';
    case 'fork':
      return 'start of this fork';
    case 'import':
      return `imported · ${cause.source}`;
  }
}
