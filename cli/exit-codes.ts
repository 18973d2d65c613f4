import { type ErrorCode, errorTable } from '../protocol/errors.ts';

/** What an exit code says, for people. */
export interface ExitCode {
  readonly code: number;
  readonly means: string;
}

const outside: readonly ExitCode[] = [
  { code: 0, means: 'done; what differs, or is missing, is in the output' },
  {
    code: 1,
    means:
      '`internal`: a mistake of this program, and COPPICE_DEBUG=1 prints where; ' +
      'also a difference that `diff --exit-code` found, and a tournament without a winner',
  },
];

/** In ascending order. Commands that run another program end with its code. */
export function exitCodes(): readonly ExitCode[] {
  const codes = new Map<number, ErrorCode[]>();
  for (const [name, { exitCode }] of Object.entries(errorTable)) {
    if (name !== 'internal') codes.set(exitCode, [...(codes.get(exitCode) ?? []), name as ErrorCode]);
  }
  const errors = [...codes].map(([code, names]) => ({
    code,
    means: names.map((name) => `\`${name}\``).join(', '),
  }));
  return [...outside, ...errors].toSorted((one, other) => one.code - other.code);
}

/** A table for terminals. */
export function exitCodesText(): string {
  const rows = exitCodes().map(
    ({ code, means }) => `  ${String(code).padStart(3)}  ${means.replaceAll('`', '')}`,
  );
  return [
    'Exit codes of coppice:',
    '',
    ...rows,
    '',
    'A command that runs a program in a sandbox (run, exec, supervise) ends with the exit code of that program,',
    'and with 128 and the number of the signal where a signal ended it. With --json an error is an object on',
    'standard error: {"error":{"code","message","details"}}.',
    '',
  ].join('\n');
}
