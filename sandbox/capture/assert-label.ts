import { SandboxError } from '../../protocol/errors.ts';
import { historyLimits } from '../../tree/history/limits.ts';

/** Refuses a label of a snapshot that its record has no room for. @throws invalid-argument */
export function assertLabel(label: string): void {
  const bytes = new TextEncoder().encode(label).length;
  const limit = historyLimits.textBytes;
  if (bytes <= limit) return;
  const message = `Cannot take a snapshot: its label has ${bytes} bytes of UTF-8, ${limit} are the most`;
  throw new SandboxError('invalid-argument', message, { details: { limit } });
}
