import { type ErrorCode, SandboxError } from '../protocol/errors.ts';

interface Refusal {
  /** The number of the line that is wrong; absent when it is all of the recording. */
  readonly line?: number | undefined;
  readonly code?: ErrorCode;
  readonly cause?: unknown;
}

/** Says what is wrong with a recording. */
export function refuseRecording(
  why: string,
  { line, code = 'invalid-argument', cause }: Refusal = {},
): SandboxError {
  const where = line === undefined ? 'the recording' : `line ${line} of the recording`;
  const details = line === undefined ? {} : { line };
  return new SandboxError(code, `Cannot read ${where}: ${why}`, { details, cause });
}
