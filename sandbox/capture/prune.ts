import type { PruneOptions, PruneResult } from '../../protocol/sandbox/history.ts';
import type { History } from '../../tree/history/history.ts';
import type { Capturer } from './capturer.ts';

export interface PruneParts {
  readonly history: History;
  readonly capturer: Pick<Capturer, 'collect' | 'noteForgotten'>;
}

/** Forgets what a policy does not keep, and frees what only that has; or tells what it would be. @throws invalid-argument, storage-full */
export async function prune(
  { policy, dryRun }: PruneOptions,
  { history, capturer }: PruneParts,
): Promise<PruneResult> {
  const forgotten = dryRun ? history.prunable(policy) : await history.retain(policy);
  const kept = history.list().length - (dryRun ? forgotten.length : 0);
  if (dryRun || forgotten.length === 0) return { forgotten, kept, freedBytes: 0 };
  await capturer.noteForgotten();
  return { forgotten, kept, freedBytes: await capturer.collect() };
}
