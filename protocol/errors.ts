/**
 * Every way an operation can fail, in one table: the HTTP status a server answers with, the exit
 * code of the command line, and whether the same call may succeed later.
 */
export const errorTable = {
  'invalid-argument': { status: 400, exitCode: 2, retryable: false },
  'not-found': { status: 404, exitCode: 3, retryable: false },
  'already-exists': { status: 409, exitCode: 4, retryable: false },
  conflict: { status: 409, exitCode: 4, retryable: true },
  busy: { status: 409, exitCode: 5, retryable: true },
  unsupported: { status: 501, exitCode: 6, retryable: false },
  'corrupt-object': { status: 500, exitCode: 7, retryable: false },
  'missing-object': { status: 500, exitCode: 7, retryable: false },
  'storage-full': { status: 507, exitCode: 8, retryable: true },
  'read-only': { status: 403, exitCode: 9, retryable: false },
  'limit-exceeded': { status: 413, exitCode: 10, retryable: false },
  timeout: { status: 504, exitCode: 124, retryable: true },
  aborted: { status: 499, exitCode: 130, retryable: true },
  'machine-failed': { status: 502, exitCode: 11, retryable: true },
  'connection-lost': { status: 502, exitCode: 12, retryable: true },
  'asset-unavailable': { status: 502, exitCode: 13, retryable: true },
  'version-mismatch': { status: 409, exitCode: 14, retryable: false },
  'protocol-violation': { status: 400, exitCode: 15, retryable: false },
  unauthenticated: { status: 401, exitCode: 16, retryable: false },
  forbidden: { status: 403, exitCode: 17, retryable: false },
  'rate-limited': { status: 429, exitCode: 18, retryable: true },
  internal: { status: 500, exitCode: 1, retryable: false },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** An error as data: what crosses a port or a socket. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * The one error of the product. The message says what could not be done, to what, and why;
 * `details` carries the same as data (paths, ids, `feature` for `unsupported`, `errno` names).
 */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }

  get retryable(): boolean {
    return errorTable[this.code].retryable;
  }

  toData(): ErrorData {
    return { code: this.code, message: this.message, details: this.details };
  }

  /** Restores an error that crossed a boundary; anything unknown becomes `internal` with its text kept. */
  static from(value: unknown): SandboxError {
    if (value instanceof SandboxError) return value;
    if (isErrorData(value))
      return new SandboxError(value.code, value.message, { details: { ...value.details } });
    if (isNewerError(value)) {
      return new SandboxError('internal', value.message, { details: { ...value.details, code: value.code } });
    }
    const message = value instanceof Error ? value.message : String(value);
    return new SandboxError('internal', message, { cause: value });
  }
}

/** Whether `value` is an error as data with a code that only a newer peer knows. */
function isNewerError(value: unknown): value is Omit<ErrorData, 'code'> & { readonly code: string } {
  if (typeof value !== 'object' || value === null || value instanceof Error) return false;
  const { code, message } = value as Partial<ErrorData>;
  return typeof code === 'string' && typeof message === 'string';
}

/** Whether `value` has the members of an error of ours: one that `tree` made, or one that crossed a boundary. */
export function isErrorData(value: unknown): value is ErrorData {
  if (typeof value !== 'object' || value === null) return false;
  const data = value as Partial<ErrorData>;
  return (
    typeof data.code === 'string' && Object.hasOwn(errorTable, data.code) && typeof data.message === 'string'
  );
}
