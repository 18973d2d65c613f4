import type { CandidateReport, CandidateState } from '../../sdk/tournament/tournament-report.ts';
import { durationText } from '../output/amounts.ts';
import { inColumns } from '../output/columns.ts';
import { cutText, plainText } from '../output/plain-text.ts';

/** Characters of a candidate's name in a table. */
const nameCharacters = 40;

const marks: Readonly<Record<CandidateState, string>> = {
  waiting: '·',
  forking: '+',
  running: '>',
  testing: '?',
  won: '*',
  passed: '=',
  failed: 'x',
  cancelled: '-',
};

/** Candidates below each other, each with its number, state, time, score and why. Those that run are timed up to now. */
export function candidateRows(candidates: readonly CandidateReport[], nowMs: number): string[] {
  const hasScores = candidates.some(({ score }) => score !== undefined);
  const rows = candidates.map((candidate, index) => [
    marks[candidate.state],
    `${index + 1}`,
    cutText(plainText(candidate.name), nameCharacters),
    candidate.state,
    timeText(candidate, nowMs),
    ...(hasScores ? [`${candidate.score ?? ''}`] : []),
    plainText(candidate.why ?? ''),
  ]);
  return inColumns(rows);
}

function timeText({ state, startedAtMs, durationMs }: CandidateReport, nowMs: number): string {
  const isRunning = state === 'running' || state === 'testing';
  if (isRunning && startedAtMs !== undefined) return durationText(Math.max(0, nowMs - startedAtMs));
  return durationMs === undefined ? '' : durationText(durationMs);
}
