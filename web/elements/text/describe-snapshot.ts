import type { ChangeSummary, Coverage, SnapshotRecord } from '../../../tree/history/snapshot-record.ts';
import { coverageParts } from '../../../tree/history/snapshot-record.ts';

const controls = /[\p{Cc}\p{Bidi_Control}]+/gu;

/**
 * Text from a sandbox as one harmless line: control and bidirectional override characters become a
 * space, and what is past `maxLength` is cut (rule H-9).
 */
export function plainLine(text: string, maxLength = 200): string {
  const line = text.replace(controls, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

/** What to call a snapshot in one line: the command that caused it, its label, or what it changed. */
export function describeSnapshot(snapshot: Pick<SnapshotRecord, 'cause' | 'changes'>): string {
  const { cause } = snapshot;
  switch (cause.type) {
    case 'image':
      return `start · ${plainLine(cause.image)}`;
    case 'capture':
      return plainLine(cause.commands.join(' ; ')) || describePaths(snapshot.changes);
    case 'manual':
      return plainLine(cause.label) || 'snapshot';
    case 'checkout':
      return 'left to go back';
    case 'fork':
      return 'forked here';
    case 'import':
      return `imported · ${plainLine(cause.source)}`;
  }
}

/** What changed as words, for names that are read aloud: `3 created, 1 deleted`. */
export function spellCounts(changes: ChangeSummary): string {
  const parts = [
    changes.created > 0 ? `${changes.created} created` : '',
    changes.modified > 0 ? `${changes.modified} modified` : '',
    changes.deleted > 0 ? `${changes.deleted} deleted` : '',
  ];
  return parts.filter((part) => part !== '').join(', ') || 'no files changed';
}

/** How many files a summary counts. */
export function countChanges(changes: ChangeSummary): number {
  return changes.created + changes.modified + changes.deleted;
}

/** What a snapshot holds and what it does not, as one line: `files; not memory (why)` (rules H-6, H-7). */
export function describeCoverage(coverage: Coverage): string {
  const kept = coverageParts.flatMap((part) => {
    const covered = coverage[part];
    if (!covered.captured) return [];
    return covered.renewed === undefined ? [part] : [`${part} (anew: ${plainLine(covered.renewed, 80)})`];
  });
  const missing = coverageParts.flatMap((part) => {
    const covered = coverage[part];
    return covered.captured ? [] : [`${part} (${plainLine(covered.why, 80)})`];
  });
  const held = kept.join(', ') || 'nothing';
  return missing.length === 0 ? held : `${held}; not ${missing.join(', ')}`;
}

function describePaths(changes: ChangeSummary): string {
  const [first, ...rest] = changes.paths;
  if (first === undefined) return 'files changed';
  const name = plainLine(first.slice(first.lastIndexOf('/') + 1) || first, 80);
  const others = Math.max(rest.length, countChanges(changes) - 1);
  return others > 0 ? `${name} and ${others} more` : name;
}
