import { createProgress, type Progress } from '../../host/progress.ts';
import type { CliOutput } from '../context.ts';

/** Without a terminal, a step that takes longer is named once, so that a log says what is waited for. */
const longStepMs = 5_000;

/** What takes time, on a terminal; elsewhere what needs attention and what takes long; nothing with `quiet`. */
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
    step: async (label, work) => {
      const timer = setTimeout(() => shown.note(`coppice: ${label} …`), longStepMs);
      try {
        return await work({ bytes: () => undefined, detail: () => undefined });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
