/** Something to run beside others. */
export interface Job<Name extends string = string> {
  readonly name: Name;
  /** Jobs that this one starts after, and only if they succeeded; those that are not among the jobs are ignored. */
  readonly after?: readonly Name[];
  /** Resolves to whether it succeeded. */
  run(): Promise<boolean>;
}

/**
 * Runs jobs in their order, at most `atOnce` at a time: whenever one ends, the first that may start does.
 * Resolves to the names of those that never started, because one that they start after did not succeed.
 */
export async function runSideBySide<Name extends string>(
  jobs: readonly Job<Name>[],
  { atOnce }: { readonly atOnce: number },
): Promise<Name[]> {
  const waiting = new Set(jobs);
  const succeeded = new Set<Name>();
  const running = new Set<Promise<void>>();
  const names = new Set(jobs.map(({ name }) => name));
  const mayStart = ({ after = [] }: Job<Name>): boolean =>
    after.every((name) => !names.has(name) || succeeded.has(name));
  for (;;) {
    for (const job of waiting) {
      if (running.size >= atOnce) break;
      if (!mayStart(job)) continue;
      waiting.delete(job);
      const run = job.run().then((isGood) => {
        if (isGood) succeeded.add(job.name);
        running.delete(run);
      });
      running.add(run);
    }
    if (running.size === 0) return [...waiting].map(({ name }) => name);
    await Promise.race(running);
  }
}
