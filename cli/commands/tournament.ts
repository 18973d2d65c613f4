import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { JudgeText } from '../../sdk/tournament/judge.ts';
import type { TournamentKeep, TournamentOptions } from '../../sdk/tournament/tournament-options.ts';
import type { Tournament } from '../../sdk/tournament/tournament-report.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { CliExit } from '../cli-exit.ts';
import { addExamples } from '../examples.ts';
import { shortId } from '../history/snapshot-value.ts';
import { candidateRows } from '../tournament/candidate-rows.ts';
import { readCandidates } from '../tournament/read-candidates.ts';
import { showProgress } from '../tournament/show-progress.ts';

interface Flags extends SharedOptions {
  readonly test: string;
  readonly base?: string;
  readonly jobs?: number;
  readonly timeout?: number;
  readonly judge: JudgeText;
  readonly keep: string;
  readonly file?: string;
  readonly report?: string;
}

export function addTournament(program: Command, cli: Cli): void {
  const command = program
    .command('tournament')
    .description(
      'race commands, each in a fork of its own, and keep the files of the one whose test passes; 1 where none does',
    )
    .argument('[candidates...]', 'commands for bash, after --; - reads them from standard input')
    .requiredOption('--test <command>', 'run after each candidate, in its fork: exit code 0 passes')
    .option(
      '--base <snapshot>',
      'an id, a tag or HEAD that all begin with; by default the files as they are now',
    )
    .option('--jobs <number>', 'candidates at a time; by default as many as there are processors', toNumber)
    .option('--timeout <seconds>', 'for one candidate and its test together; by default 600', toNumber)
    .option(
      '--judge <how>',
      'first, best:PATTERN or best:json.FIELD (a number in the output of the test), or lowest: instead of best:',
      'first',
    )
    .option(
      '--keep <what>',
      'what the winner becomes: head, tag:NAME, snapshot (beside HEAD) or none',
      'head',
    )
    .option('--file <file>', 'candidates in a file: one a line, or a JSON array')
    .option(
      '--report <file>',
      'write a report with outputs and changes: Markdown, or JSON if it ends in .json',
    )
    .action((words: string[], flags: Flags) => runTournament(words, flags, cli));
  addExamples(command, [
    [
      `coppice tournament --test 'make test' -- 'git apply a.patch' 'git apply b.patch'`,
      'the first that passes is HEAD',
    ],
    [`coppice tournament --test ./bench --judge 'lowest:(\\d+) ms' --file flags.txt`, 'the fastest of all'],
    [
      `ls patches | sed 's/^/git apply /' | coppice tournament --test 'npm test' --keep tag:fixed -`,
      'from a pipe, as a tag',
    ],
  ]);
}

async function runTournament(words: readonly string[], flags: Flags, cli: Cli): Promise<void> {
  const { context } = cli;
  if (words[0] === '-') await cli.prepareToOpen(flags);
  const candidates = await readCandidates({ words, file: flags.file }, context);
  const options = { ...optionsOf(flags), candidates, signal: context.signal };
  await using opened = await cli.openSandbox(flags);
  const tournament = await race(opened.sandbox, options, { cli, isQuiet: flags.quiet === true });
  if (flags.report !== undefined) await writeReport(resolve(context.directory, flags.report), tournament);
  cli.printer(flags).result(tournament, () => resultText(tournament, flags.keep));
  if (tournament.winner === undefined) throw new CliExit(1);
}

async function race(
  sandbox: { tournament(options: TournamentOptions): Promise<Tournament> },
  options: TournamentOptions,
  { cli, isQuiet }: { readonly cli: Cli; readonly isQuiet: boolean },
): Promise<Tournament> {
  using progress = showProgress(cli.context, { isQuiet });
  return await sandbox.tournament({ ...options, onUpdate: (all) => progress.update(all) });
}

function optionsOf({ test, base, jobs, timeout, judge, keep }: Flags): Omit<TournamentOptions, 'candidates'> {
  return {
    ...{ test, judge, keep: toKeep(keep) },
    ...(base === undefined ? {} : { base }),
    ...(jobs === undefined ? {} : { jobs }),
    ...(timeout === undefined ? {} : { timeoutMs: Math.round(timeout * 1_000) }),
  };
}

function toKeep(text: string): TournamentKeep {
  const [, tag] = /^tag:(.+)$/.exec(text) ?? [];
  if (tag !== undefined) return { tag };
  if (text === 'head' || text === 'snapshot' || text === 'none') return text;
  throw new SandboxError(
    'invalid-argument',
    `--keep is "${text}", which is neither head, snapshot, none nor tag:NAME`,
  );
}

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('Give a number.');
}

async function writeReport(path: string, tournament: Tournament): Promise<void> {
  const text = path.endsWith('.json')
    ? `${JSON.stringify(tournament, undefined, 2)}\n`
    : tournament.toMarkdown();
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw new SandboxError('invalid-argument', `Cannot write the report ${path}`, { cause });
  }
}

function resultText(
  { candidates, winner, snapshot, previousHead, leftOver }: Tournament,
  keep: string,
): string {
  const won = winner === undefined ? undefined : `candidate ${winner + 1} won`;
  const became = keep.startsWith('tag:')
    ? `is tagged ${keep.slice(4)}`
    : keep === 'head'
      ? 'is HEAD'
      : 'is kept';
  return [
    ...candidateRows(candidates, Date.now()),
    won === undefined ? 'no candidate won' : `${won}${snapshot ? `: ${shortId(snapshot)} ${became}` : ''}`,
    ...(previousHead ? [`back again: coppice checkout ${shortId(previousHead)}`] : []),
    ...leftOver.map((id) => `could not delete sandbox ${id}: coppice delete ${id}`),
  ].join('\n');
}
