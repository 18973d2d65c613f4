import type { Change } from '../../protocol/sandbox/history.ts';
import type { CandidateReport, CandidateRun, TournamentReport } from './tournament-report.ts';

const controls = /[\p{Cc}\p{Bidi_Control}]+/gu;

/** A report for people. What comes from sandboxes stands in code, and cannot end it. */
export function tournamentMarkdown(report: TournamentReport): string {
  const { winner, candidates } = report;
  const won = winner === undefined ? undefined : candidates[winner];
  const result = won ? `Candidate ${(winner ?? 0) + 1} won: ${won.why}.` : 'No candidate won.';
  return [
    '# Tournament',
    '',
    `${result} It took ${seconds(report.durationMs)}.`,
    '',
    `- Test: ${code(report.test)}`,
    `- Judge: ${code(report.judge)}`,
    `- Base: ${code(report.base)}`,
    ...(report.snapshot === undefined ? [] : [`- Winner's snapshot: ${code(report.snapshot)}`]),
    ...(report.previousHead === undefined ? [] : [`- HEAD before: ${code(report.previousHead)}`]),
    ...report.leftOver.map((id) => `- Could not be deleted: sandbox ${code(id)}`),
    '',
    '| | candidate | place | state | time | score | files | why |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...candidates.map(row),
    ...candidates.flatMap(details),
    '',
  ].join('\n');
}

function row(candidate: CandidateReport, index: number): string {
  const { name, place = 'here', state, durationMs, score = '', changed = '', why = '' } = candidate;
  const time = durationMs === undefined ? '' : seconds(durationMs);
  const cells = [index + 1, inTable(name), plain(place), state, time, score, changed, plain(why)];
  return `| ${cells.join(' | ')} |`;
}

function details({ name, run, test, changes = [], changed = 0 }: CandidateReport, index: number): string[] {
  if (!run && !test) return [];
  const more = changed - changes.length;
  return [
    '',
    `## ${index + 1}. ${code(name.slice(0, 80))}`,
    ...(changes.length === 0 ? [] : ['', ...changes.map(change)]),
    ...(more > 0 ? [`- and ${more} more`] : []),
    ...output('Command', run),
    ...output('Test', test),
  ];
}

function change({ type, path, from }: Change): string {
  return `- ${type} ${code(from === undefined ? path : `${from} → ${path}`)}`;
}

function output(what: string, run: CandidateRun | undefined): string[] {
  if (!run) return [];
  const { exitCode, durationMs, output } = run;
  const how = exitCode === undefined ? 'ended' : `exit code ${exitCode}`;
  const heading = ['', `${what}: ${how}, ${seconds(durationMs)}`];
  if (output.trim() === '') return heading;
  const fence = '`'.repeat(Math.max(3, longestTicks(output) + 1));
  const text = output.replace(/[^\P{Cc}\n\t]/gu, '�').trimEnd();
  return [...heading, '', `${fence}text`, text, fence];
}

/** In a code span, which more backticks than are in the text delimit. */
function code(text: string): string {
  const line = plainLine(text);
  const ticks = '`'.repeat(longestTicks(line) + 1);
  const space = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${ticks}${space}${line}${space}${ticks}`;
}

/** In a cell of a table a bar is escaped, in code too (GFM). */
function inTable(text: string): string {
  return code(text.slice(0, 80)).replaceAll('|', '\\|');
}

/** As text that is no markup. */
function plain(text: string): string {
  return plainLine(text).replace(/[\\`*_{}[\]<>()#+!|&~]/g, '\\$&');
}

function plainLine(text: string): string {
  return text.replace(controls, ' ').trim();
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
