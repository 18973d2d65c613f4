import { type RanCommand, ranCommands } from '../../../protocol/sandbox/ran-commands.ts';
import type { ChangeSummary, Coverage, SnapshotRecord } from '../../../tree/history/snapshot-record.ts';
import { coverageParts } from '../../../tree/history/snapshot-record.ts';

import { formatSeconds } from './relative-time.ts';

const controls = /[\p{Cc}\p{Bidi_Control}]+/gu;

/**
 * Text from a sandbox as one harmless line: control and bidirectional override characters become a
 * space, and what is past `maxLength` is cut (rule H-9).
 */
export function plainLine(text: string, maxLength = 200): string {
  const line = text.replace(controls, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

/** A one-line title of a snapshot: the command that caused it, its label, or what it changed. */
export function describeSnapshot(snapshot: Pick<SnapshotRecord, 'cause' | 'changes' | 'extensions'>): string {
  const { cause } = snapshot;
  switch (cause.type) {
    case 'image':
      return cause.image === '' ? 'start' : `start · ${plainLine(cause.image)}`;
    case 'capture':
      return (
        plainLine(cause.commands.join(' ; ')) ||
        describeProcesses(snapshot) ||
        describePaths(snapshot.changes)
      );
    case 'manual':
      return plainLine(cause.label) || 'snapshot';
    case 'checkout':
      return 'before going back';
    case 'fork':
      return 'start of this fork';
    case 'import':
      return `imported · ${plainLine(cause.source)}`;
    // Of a newer host.
    default:
      return plainLine((cause as { readonly type: string }).type, 40);
  }
}

/** What changed files while no command ran: `process · node server.js`. */
function describeProcesses(snapshot: Pick<SnapshotRecord, 'extensions'>): string {
  const processes = ranCommands(snapshot).filter(({ by }) => by === 'process');
  if (processes.length === 0) return '';
  return `process · ${plainLine(processes.map(({ command }) => command).join(' ; '))}`;
}

/** A command and how it ended, in one line: `npm test · exit 1 in 2.3 s`. */
export function describeRan({ command, exitCode, signal, durationMs }: RanCommand): string {
  const end = signal ? plainLine(signal, 20) : exitCode === undefined ? undefined : `exit ${exitCode}`;
  const time = durationMs === undefined ? 'still ran' : `in ${formatSeconds(durationMs)}`;
  return `${plainLine(command, 256)} · ${end === undefined ? time : `${end} ${time}`}`;
}

/** The changes in words, for accessible names: `3 created, 1 deleted`. */
export function spellCounts(changes: ChangeSummary): string {
  const parts = [
    changes.created > 0 ? `${changes.created} created` : '',
    changes.modified > 0 ? `${changes.modified} modified` : '',
    changes.deleted > 0 ? `${changes.deleted} deleted` : '',
  ];
  const none = changes.paths.length === 0 ? 'no files changed' : 'only directories changed';
  return parts.filter((part) => part !== '').join(', ') || none;
}

/** How many files a summary counts. */
export function countChanges(changes: ChangeSummary): number {
  return changes.created + changes.modified + changes.deleted;
}

/** A snapshot's coverage in a few words: `files; processes start anew` (rule H-6). */
export function summarizeCoverage({ files, memory }: Coverage): string {
  const held = files.captured ? 'files' : `not every file (${plainLine(files.why, 80)})`;
  return memory.captured ? `${held} and running processes` : `${held}; processes start anew`;
}

/** A snapshot's coverage of each part of a machine, one line each (rules H-6, H-7). */
export function explainCoverage(coverage: Coverage): string[] {
  return coverageParts.map((part) => {
    const covered = coverage[part];
    if (!covered.captured) return `${part}: no, ${plainLine(covered.why, 80)}`;
    return `${part}: yes${covered.renewed === undefined ? '' : `, but new: ${plainLine(covered.renewed, 80)}`}`;
  });
}

/** What changed in one line: the first path's name, and how many others. */
export function describePaths(changes: ChangeSummary): string {
  const [first, ...rest] = changes.paths;
  if (first === undefined) return 'files changed';
  const name = plainLine(first.slice(first.lastIndexOf('/') + 1) || first, 80);
  const others = Math.max(rest.length, countChanges(changes) - 1);
  return others > 0 ? `${name} and ${others} more` : name;
}
