/** The codes of `protocol/errors.ts` that a log store uses. */
export type StoreErrorCode =
  | 'busy'
  | 'connection-lost'
  | 'limit-exceeded'
  | 'not-found'
  | 'read-only'
  | 'storage-full'
  | 'version-mismatch';

/**
 * An error with the members of the protocol's `ErrorData`, for `LogDirectory.toError` to turn into
 * a `SandboxError`; `tree` imports nothing of ours.
 */
export function storeError(
  code: StoreErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Error {
  return Object.assign(new Error(message), { code, details });
}
