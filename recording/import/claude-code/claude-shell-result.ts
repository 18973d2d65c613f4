import { type Fields, textIn } from '../fields.ts';
import type { TranscriptResult } from '../transcript.ts';

/** How a failed command's result begins. Of one that did not fail, the code is 0, as the session has none. */
const exitLine = /^(?:Error: )?Exit code (\d{1,3})\n?/;

/** What came of a command, by what the model was told and what the session keeps besides. */
export function shellResultOf(of: {
  readonly content: string;
  readonly isError: boolean;
  readonly told: Fields;
  /** The output from the file beside the session, where it was too long. */
  readonly whole: string | undefined;
}): NonNullable<TranscriptResult['shell']> {
  const { content, isError, told, whole } = of;
  const code = exitLine.exec(content)?.[1];
  const stdout = whole ?? textIn(told, 'stdout') ?? content.replace(exitLine, '');
  const stderr = whole === undefined ? textIn(told, 'stderr') : undefined;
  const isInterrupted = told.interrupted === true;
  return {
    stdout,
    ...(stderr === undefined ? {} : { stderr }),
    exitCode: code === undefined ? (isInterrupted ? 130 : isError ? 1 : 0) : Number(code),
    ...(isInterrupted ? { reason: 'interrupted' } : {}),
  };
}
