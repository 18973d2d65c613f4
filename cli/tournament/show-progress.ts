import type { CandidateReport } from '../../sdk/tournament/tournament-report.ts';
import type { CliContext, CliOutput } from '../context.ts';
import { cutText, plainText } from '../output/plain-text.ts';
import { candidateRows } from './candidate-rows.ts';

/** Time between two drawings of the table, in which times go on. */
const drawEveryMs = 200;

/** Shows how candidates are doing on standard error. Disposing of it leaves the screen for what comes next. */
export interface TournamentProgress extends Disposable {
  update(candidates: readonly CandidateReport[]): void;
}

/** A table that is drawn anew on a terminal; elsewhere a line for each candidate that ends; nothing where it is to be quiet. */
export function showProgress(
  { stderr, environment }: Pick<CliContext, 'stderr' | 'environment'>,
  { isQuiet }: { readonly isQuiet: boolean },
): TournamentProgress {
  if (isQuiet) return { update: () => {}, [Symbol.dispose]: () => {} };
  return stderr.isTTY && environment.TERM !== 'dumb' ? liveTable(stderr) : plainLines(stderr);
}

/** Erases itself in the end: the result has the same rows. */
function liveTable(output: CliOutput): TournamentProgress {
  let drawnLines = 0;
  let shown: readonly CandidateReport[] = [];
  const erase = (): void => {
    if (drawnLines > 0) output.write(`\x1b[${drawnLines}A\r\x1b[J`);
    drawnLines = 0;
  };
  const draw = (): void => {
    const lines = fitToScreen(candidateRows(shown, Date.now()), shown, output);
    erase();
    output.write(lines.map((line) => `${line}\n`).join(''));
    drawnLines = lines.length;
  };
  const timer = setInterval(draw, drawEveryMs);
  return {
    update: (candidates) => {
      const isFirst = shown.length === 0;
      shown = candidates;
      if (isFirst) draw();
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      erase();
    },
  };
}

/** Cut to the screen. Of more rows than it has, those that run or have won come first, and the rest are counted. */
function fitToScreen(
  rows: readonly string[],
  candidates: readonly CandidateReport[],
  output: CliOutput,
): string[] {
  const columns = output.columns || 80;
  const most = Math.max(1, (output.rows ?? 24) - 2);
  const cut = (line: string): string => cutText(line, columns - 1);
  if (rows.length <= most) return rows.map(cut);
  const isBusy = (index: number): boolean =>
    /^(forking|running|testing|won)$/.test(candidates[index]?.state ?? '');
  const indexes = rows.map((_, index) => index);
  const order = [...indexes.filter(isBusy), ...indexes.filter((index) => !isBusy(index))];
  const chosen = order.slice(0, most).toSorted((one, other) => one - other);
  return [...chosen.map((index) => cut(rows[index] ?? '')), cut(`and ${rows.length - most} more`)];
}

function plainLines(output: CliOutput): TournamentProgress {
  const told = new Set<number>();
  return {
    update: (candidates) => {
      for (const [index, { state, name, why }] of candidates.entries()) {
        if (why === undefined || told.has(index)) continue;
        told.add(index);
        output.write(
          `candidate ${index + 1} ${state}: ${plainText(why)} (${cutText(plainText(name), 60)})\n`,
        );
      }
    },
    [Symbol.dispose]: () => {},
  };
}
