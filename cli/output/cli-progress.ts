import { createProgress, type Progress } from '../../host/progress.ts';
import type { CliOutput } from '../context.ts';

/** What takes time, on a terminal; elsewhere only what needs attention, and nothing with `quiet`. */
export function cliProgress(
  stderr: CliOutput,
  { quiet = false }: { readonly quiet?: boolean | undefined },
): Progress {
  if (quiet) return createProgress({ write: () => undefined });
  const shown = createProgress(stderr);
  if (stderr.isTTY) return shown;
  return {
    note: () => undefined,
    warn: (text) => shown.warn(text),
    step: (_label, work) => work({ bytes: () => undefined, detail: () => undefined }),
  };
}
