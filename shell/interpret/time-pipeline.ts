import { encodeText, type ShellText } from '../text.ts';
import type { Shell } from './shell.ts';

const bashFormat = '\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS';
const posixFormat = 'real %2R\nuser %2U\nsys %2S';

/** `time`: runs a pipeline, and writes to standard error how long it took. */
export async function timePipeline(
  shell: Shell,
  { isPosix, run }: { isPosix: boolean; run: () => Promise<number> },
): Promise<number> {
  const startedAt = performance.now();
  const status = await run();
  const seconds = (performance.now() - startedAt) / 1000;
  const format = isPosix ? posixFormat : (shell.variables.get('TIMEFORMAT') ?? bashFormat);
  if (format !== '') await shell.writeStderr(encodeText(`${formatTimes(format, seconds)}\n`));
  return status;
}

/** The process's own computing time is not known: what is measured counts as real time only. */
function formatTimes(format: ShellText, realSeconds: number): ShellText {
  return format.replace(
    /%(?:%|P|(\d?)(l?)([RUS]))/g,
    (matched, digits: string, long: string, kind: string) => {
      if (matched === '%%') return '%';
      if (matched === '%P') return '0.00';
      const seconds = kind === 'R' ? realSeconds : 0;
      const places = digits === '' ? 3 : Math.min(3, Number(digits));
      if (!long) return seconds.toFixed(places);
      const minutes = Math.floor(seconds / 60);
      return `${minutes}m${(seconds - minutes * 60).toFixed(places)}s`;
    },
  );
}
