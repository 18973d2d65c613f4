import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { type RanCommand, ranCommands } from '../../protocol/sandbox/ran-commands.ts';
import type { ChangeSummary } from '../../tree/history/snapshot-record.ts';
import { plainText } from '../output/plain-text.ts';

/** Why a snapshot was made, in one line: its label, the commands before it, or what it changed. */
export function snapshotTitle(snapshot: SnapshotInfo): string {
  const { cause, changes } = snapshot;
  switch (cause.type) {
    case 'image':
      return plainText(cause.image === '' ? 'start' : `start: ${cause.image}`);
    case 'capture':
      return plainText(cause.commands.join(' ; ')) || processesOf(snapshot) || changedPaths(changes);
    case 'manual':
      return plainText(cause.label) || changedPaths(changes);
    case 'checkout':
      return 'before a checkout';
    case 'fork':
      return 'start of this fork';
    case 'import':
      return plainText(`imported: ${cause.source}`);
    // Of a newer version.
    default:
      return plainText((cause as { readonly type: string }).type);
  }
}

/** The processes that changed files while no command ran: `process: node server.js`. */
function processesOf(snapshot: SnapshotInfo): string {
  const processes = ranCommands(snapshot).filter(({ by }) => by === 'process');
  if (processes.length === 0) return '';
  return `process: ${plainText(processes.map(({ command }) => command).join(' ; '))}`;
}

/** How the commands before it ended, where one of them failed: `exit 2`, `SIGKILL`. */
export function failureOf(snapshot: SnapshotInfo): string | undefined {
  const failed = ranCommands(snapshot).findLast(
    ({ exitCode, signal }) => signal !== undefined || (exitCode ?? 0) !== 0,
  );
  return failed && endOfCommand(failed);
}

/** `exit 0`, the signal that ended it, or that it still ran. */
export function endOfCommand({ exitCode, signal }: RanCommand): string {
  if (signal !== undefined) return plainText(signal);
  return exitCode === undefined ? 'still ran' : `exit ${exitCode}`;
}

/** `+2 ~1 -3` for files created, modified and deleted; empty where there are none. */
export function countsOf({ created, modified, deleted }: ChangeSummary): string {
  const counts = [
    [created, '+'],
    [modified, '~'],
    [deleted, '-'],
  ] as const;
  return counts.flatMap(([count, mark]) => (count > 0 ? [`${mark}${count}`] : [])).join(' ');
}

/** The first path that was changed, and how many others. */
function changedPaths(changes: ChangeSummary): string {
  const [first, ...rest] = changes.paths;
  if (first === undefined) return 'no files changed';
  const all = changes.created + changes.modified + changes.deleted;
  const others = Math.max(rest.length, all - 1);
  return `changed ${plainText(first)}${others > 0 ? ` and ${others} more` : ''}`;
}
