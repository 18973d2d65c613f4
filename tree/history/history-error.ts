/** The codes of `protocol/errors.ts` that the history uses. */
export type HistoryErrorCode =
  | 'not-found'
  | 'conflict'
  | 'missing-object'
  | 'corrupt-object'
  | 'invalid-argument'
  | 'limit-exceeded';

/**
 * An error with the members of the protocol's `ErrorData`, so that `SandboxError.from` takes it as
 * it is; `tree` imports nothing of ours.
 */
export function historyError(
  code: HistoryErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Error {
  return Object.assign(new Error(message), { code, details });
}

/** The first digits of an id, for people. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
