import { SandboxError } from '../../protocol/errors.ts';
import type { MergeConflict } from '../../protocol/sandbox/history.ts';
import { isObject } from '../../protocol/schema.ts';
import { inColumns } from '../output/columns.ts';
import { plainText } from '../output/plain-text.ts';

/** The paths that an error names as in conflict; none of any other. */
export function conflictsOf(error: unknown): readonly MergeConflict[] {
  const { code, details } = SandboxError.from(error);
  if (code !== 'conflict' || !Array.isArray(details.conflicts)) return [];
  return details.conflicts.filter(isConflict);
}

function isConflict(value: unknown): value is MergeConflict {
  return isObject(value) && typeof value.path === 'string' && typeof value.kind === 'string';
}

export function conflictLines(conflicts: readonly MergeConflict[]): string[] {
  return inColumns(conflicts.map(({ kind, path }) => [plainText(kind), plainText(path)]));
}
