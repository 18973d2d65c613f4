import { type Difference, type Level, levels } from '../../recording/verify/compare-step.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { CliExit } from '../cli-exit.ts';
import { nodeRuntimes } from '../in-process/node-runtimes.ts';
import { countText } from '../output/amounts.ts';
import { cutText, plainText } from '../output/plain-text.ts';
import { openRunSandbox } from '../run/open-run-sandbox.ts';
import { runOptions, type TypedRunOptions } from '../run/run-options.ts';
import { openRecordingFile } from './open-recording-file.ts';
import { type StepReport, verifyIn } from './verify-in.ts';

export interface VerifyOptions
  extends SharedOptions,
    Pick<TypedRunOptions, 'runtime' | 'image' | 'network' | 'allow'> {
  /** Of each command, ms. */
  readonly timeout: number;
  readonly ignore: readonly RegExp[];
  readonly all?: boolean;
}

/**
 * Runs the commands of a recording again, and tells what differs. Ends with code 1 for what is worse than noise.
 * @throws unsupported for a recording without files; as `openRecordingFile` and `openRunSandbox`
 */
export async function verify(path: string, options: VerifyOptions, cli: Cli): Promise<void> {
  const { context } = cli;
  const { signal } = context;
  await using file = await openRecordingFile(path, context);
  const { recording } = file;
  if (recording.damage !== undefined) cli.printer(options).note(`coppice: ${plainText(recording.damage)}`);
  const recorded = recording.header.coppice.runtime;
  const runtime = options.runtime ?? nodeRuntimes.find((name) => name === recorded) ?? 'auto';
  const run = runOptions({ ...options, runtime, env: {}, user: 'user', mountIn: [] });
  await using opened = await openRunSandbox(run, { cli, isNamed: false, signal });
  const { ignore, timeout: timeoutMs, all = false } = options;
  const { first, ...found } = await verifyIn(opened.sandbox, recording, { ignore, timeoutMs, all, signal });
  const { level, counts, steps } = found;
  const report = { runtime: opened.sandbox.info.runtime, ...found, ...(first ? { first } : {}) };
  cli.printer(options).result(report, () => [...steps.map(told), summary(counts, level)].join('\n'));
  if (first) throw new CliExit(1);
}

function told({ level, command, text, differences }: StepReport): string {
  const lines = differences.map((each) => `  ${sentenceOf(each)}`);
  return [`${level}  ${command}. ${cutText(plainText(text), 100)}`, ...lines].join('\n');
}

function sentenceOf({ level, what, line, path, recorded, now }: Difference): string {
  if (what === 'tree') return `${level}: ${plainText(path ?? '')} is ${now}`;
  if (what === 'run') return `${level}: ${plainText(now)}`;
  if (what === 'exit') return `${level}: exit code ${now} instead of ${recorded}`;
  const where = `${what}, line ${line}`;
  return `${level}: ${where}\n    recorded  ${plainText(recorded)}\n    now       ${plainText(now)}`;
}

function summary(counts: Record<Level, number>, level: Level): string {
  const ran = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const parts = levels.flatMap((each) => (counts[each] > 0 ? [`${counts[each]} ${each}`] : []));
  return `${level}: ${countText(ran, 'command')}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}
