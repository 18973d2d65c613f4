import { amountText, createProgress, type Progress } from '../../host/progress.ts';
import type { CliOutput } from '../context.ts';

/** Without a terminal, a step that takes longer is named, and then how far it is, so that a log says what is waited for. */
const longStepMs = 5_000;
const againMs = 15_000;

/** What takes time, on a terminal; elsewhere what takes long, in lines of a log; nothing with `quiet`. */
export function cliProgress(
  stderr: CliOutput,
  { quiet = false }: { readonly quiet?: boolean | undefined },
): Progress {
  if (quiet) return createProgress({ write: () => undefined });
  const shown = createProgress(stderr);
  if (stderr.isTTY) return shown;
  const say = (text: string) => shown.note(`coppice: ${text}`);
  return {
    note: (text) => say(text.trim()),
    warn: (text) => shown.warn(text),
    step: async (label, work) => {
      let far = '';
      const tell = () => {
        say(far === '' ? `${label} …` : `${label}: ${far} …`);
        timer = setTimeout(tell, againMs);
      };
      let timer = setTimeout(tell, longStepMs);
      try {
        return await work({
          bytes: (doneBytes, totalBytes) => {
            far = amountText(doneBytes, totalBytes);
          },
          detail: (text) => {
            far = text;
          },
        });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
