/** What a sandbox does for its clients that takes time. */
export type SandboxWork =
  | 'snapshot.create'
  | 'snapshot.checkout'
  | 'snapshot.merge'
  | 'snapshot.apply'
  | 'snapshot.restore'
  | 'checkpoint.restore'
  | 'sandbox.fork'
  | 'garbage.collect';

/**
 * Does `work`, and may note how long it takes and how it ends. It calls it at once, and passes on what it
 * resolves to or rejects with.
 */
export type AroundWork = <T>(name: SandboxWork, work: () => Promise<T>) => Promise<T>;
