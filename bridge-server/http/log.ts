import { type Logger, pino } from 'pino';
import { SandboxError } from '../../protocol/errors.ts';
import type { BridgeOptions } from './bridge-options.ts';

export type { Logger } from 'pino';

const textBytes = 2_048;

/**
 * A log of one JSON record a line. What comes from outside is a value in it: JSON escapes what would
 * end a line or speak to a terminal (H-9).
 */
export function makeLog(destination: BridgeOptions['log']): Logger {
  const options = { base: null, timestamp: pino.stdTimeFunctions.isoTime, level: 'info' };
  return pino(options, destination ?? pino.destination({ fd: 2, sync: true }));
}

/** An error as a record holds it. */
export function loggedError(cause: unknown): Record<string, string> {
  const error = SandboxError.from(cause);
  const stack = error.code === 'internal' && cause instanceof Error ? cause.stack : undefined;
  return {
    code: error.code,
    message: error.message.slice(0, textBytes),
    ...(stack === undefined ? {} : { stack: stack.slice(0, textBytes) }),
  };
}
