import { z } from '@hono/zod-openapi';
import { type ErrorCode, errorTable, type SandboxError } from '../../protocol/errors.ts';

/** How the API says that something failed. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>>;
    /** What helps. */
    readonly remedy: string;
  };
}

/** The codes of errors, for schemas. */
export const errorCodes: [ErrorCode, ...ErrorCode[]] = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

export const errorPartSchema: z.ZodType<ErrorBody['error']> = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
  remedy: z.string().openapi({ description: 'What helps.' }),
});

export const errorSchema: z.ZodType<ErrorBody> = z.object({ error: errorPartSchema }).openapi('Error');

const remedies: { readonly [code in ErrorCode]: string } = {
  'invalid-argument': 'Change the argument that the message names.',
  'not-found': 'List what there is; it may have been renamed or deleted.',
  'already-exists': 'Choose another name.',
  conflict: 'Look at the present state, then try again.',
  busy: 'Wait for what is under way, or close what is not needed, then try again.',
  unsupported: 'Look at /v1/doctor for what this host can do.',
  'corrupt-object': 'Use another snapshot.',
  'missing-object': 'Use another snapshot.',
  'storage-full': 'Delete snapshots or sandboxes on the bridge, or give it more disk.',
  'read-only': 'Fork the sandbox and go on with the copy.',
  'limit-exceeded': 'Send or ask for less.',
  timeout: 'Try again, or give it more time.',
  aborted: 'Start it again.',
  'machine-failed': 'Check out a snapshot: the machine starts again from there.',
  'connection-lost': 'Try again; a sandbox is opened anew.',
  'asset-unavailable': 'Check that the bridge has the image, then try again.',
  'version-mismatch': 'Use a client and a bridge of the same version.',
  'protocol-violation': 'Correct the client.',
  unauthenticated: 'Send a valid token in the Authorization header: Bearer and the token.',
  forbidden: 'Use a token that allows it; a page must be an allowed origin, a name an allowed host.',
  'rate-limited': 'Wait for the seconds that Retry-After says.',
  internal: 'Look at the log of the bridge under the request id.',
};

/**
 * The body of an answer that says what failed. What is internal stays in the log. Who knows better than the table
 * what helps says so in `details.remedy`.
 */
export function errorBody(error: SandboxError): ErrorBody {
  const isInternal = error.code === 'internal';
  const { remedy, ...details } = error.details;
  return {
    error: {
      code: error.code,
      message: isInternal ? 'Something failed inside the bridge' : error.message,
      details: isInternal ? {} : details,
      remedy: typeof remedy === 'string' && !isInternal ? remedy : remedies[error.code],
    },
  };
}
