import { setImmediate } from 'node:timers/promises';

/** Turns of the event loop in which what was set off by the work, and is awaited by nobody, shows. */
const turns = 50;

/** Errors that nobody caught while `work` ran or soon after: each of them ends a process that does not listen for them. */
export async function uncaughtErrors(work: () => Promise<unknown>): Promise<unknown[]> {
  const uncaught: unknown[] = [];
  const events = ['uncaughtException', 'unhandledRejection'] as const;
  // The test runner listens as well, and would count them as failures of its own.
  const others = events.map((event) => process.listeners(event as 'uncaughtException'));
  for (const event of events) process.removeAllListeners(event).on(event, (error) => uncaught.push(error));
  try {
    await work();
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    return uncaught;
  } finally {
    for (const [index, event] of events.entries()) {
      process.removeAllListeners(event);
      for (const listener of others[index] ?? []) process.on(event, listener);
    }
  }
}
