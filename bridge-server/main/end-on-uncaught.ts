import { errorTable } from '../../protocol/errors.ts';
import { loggedError, makeLog } from '../http/log.ts';

/**
 * Has an error that nobody caught logged as a record, and end this process at once: nobody knows which state it is in.
 * What runs in sandboxes waits for the next bridge, as after a kill.
 */
export function endOnUncaught(): void {
  process.on('uncaughtException', (error, origin) => {
    makeLog(undefined).fatal({ origin, ...loggedError(error) }, 'ended by an error that nobody caught');
    process.exit(errorTable.internal.exitCode);
  });
}
