import { recordingLimits } from '../limits.ts';
import { isNoisePath, withoutNoise } from './noise.ts';
import type { RecordedStep } from './recorded-steps.ts';

/**
 * How much a command that runs again differs: not at all; in noise that is declared; in what it printed, ended with or left; or it
 * could not be run again. Each is worse than the one before.
 */
export const levels = ['exact', 'minor', 'major', 'halt'] as const;
export type Level = (typeof levels)[number];

/** One thing that differs. Texts are data of a sandbox (H-9). */
export interface Difference {
  readonly level: Exclude<Level, 'exact'>;
  readonly what: 'stdout' | 'stderr' | 'exit' | 'tree' | 'run';
  /** Of output: the number of the line, from 1. */
  readonly line?: number;
  /** Of files. */
  readonly path?: string;
  readonly recorded: string;
  readonly now: string;
}

/** What came of it when it ran again. */
export interface RanAgain {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** SHA-256 of each stream's bytes in hexadecimal. */
  readonly digests: { readonly stdout: string; readonly stderr: string };
}

/** A file that is another in the recording, after the same command. */
export interface ChangedPath {
  readonly type: string;
  readonly path: string;
  /** Whether its texts differ in noise only, where both were read. */
  readonly isNoise?: boolean;
  /** Whether it was so before the command began. */
  readonly isEarlier?: boolean;
}

export interface CompareOptions {
  /** Further noise. */
  readonly ignore?: readonly RegExp[] | undefined;
  /** A text with names instead of ids that say the same, such as those of commits that differ in their dates alone. */
  readonly named?: (text: string) => string;
}

/** What differs, the worst first. */
export function compareStep(
  step: RecordedStep,
  ran: RanAgain,
  options: CompareOptions = {},
): readonly Difference[] {
  const differences: Difference[] = [];
  if (step.exitCode !== undefined && step.exitCode !== ran.exitCode)
    differences.push({
      level: 'major',
      what: 'exit',
      recorded: String(step.exitCode),
      now: String(ran.exitCode),
    });
  for (const stream of ['stdout', 'stderr'] as const) {
    if (step.digests?.[stream] === ran.digests[stream]) continue;
    differences.push(...compareText(stream, { recorded: step[stream], now: ran[stream] }, options));
  }
  return sorted(differences);
}

/** Of the files after a command. */
export function compareTree(changes: readonly ChangedPath[]): readonly Difference[] {
  return sorted(
    changes.map(({ type, path, isNoise = false, isEarlier = false }): Difference => {
      const isMinor = isNoise || type === 'metadata' || isNoisePath(path);
      return {
        level: isMinor ? 'minor' : 'major',
        what: 'tree',
        path,
        recorded: 'as recorded',
        now: isEarlier ? `${type} before it began` : type,
      };
    }),
  );
}

/** The worst of what differs. */
export function levelOf(differences: readonly Difference[]): Level {
  return levels[Math.max(0, ...differences.map(({ level }) => levels.indexOf(level)))] ?? 'exact';
}

/** Whether two texts differ in noise only. */
export function isSameButNoise(recorded: string, now: string, options: CompareOptions = {}): boolean {
  const [one, other] = comparable(recorded, now, options);
  return one === other;
}

/** Both as they are compared. */
function comparable(recorded: string, now: string, { ignore, named }: CompareOptions): [string, string] {
  const plain = (text: string) => withoutNoise(named?.(text) ?? text, ignore);
  return [plain(recorded), plain(now)];
}

function compareText(
  what: 'stdout' | 'stderr',
  { recorded, now }: { readonly recorded: string; readonly now: string },
  options: CompareOptions,
): readonly Difference[] {
  const before = linesOf(recorded);
  const after = linesOf(now);
  const differences: Difference[] = [];
  for (let at = 0; at < Math.max(before.length, after.length); at++) {
    const [one, other] = [before[at], after[at]];
    if (one === other) continue;
    const isMinor = one !== undefined && other !== undefined && isSameLine(one, other, options);
    const told = { recorded: excerpt(one), now: excerpt(other) };
    differences.push({ level: isMinor ? 'minor' : 'major', what, line: at + 1, ...told });
    if (!isMinor || differences.length >= recordingLimits.verifyDifferences) break;
  }
  return differences;
}

function linesOf(text: string): readonly string[] {
  return text.slice(0, recordingLimits.verifyOutputCharacters).replaceAll('\r\n', '\n').split('\n');
}

/** With a secret in it that was replaced, whatever is there now is the same. */
function isSameLine(recorded: string, now: string, options: CompareOptions): boolean {
  const [one, other] = comparable(recorded, now, options);
  if (one === other) return true;
  const parts = one.split(/<secret:[a-z-]{1,40}:[0-9a-f]{8}>/);
  if (parts.length === 1) return false;
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = index === 0 ? (other.startsWith(part) ? 0 : -1) : other.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at === other.length || parts.at(-1) === '';
}

function excerpt(line: string | undefined): string {
  return line === undefined ? '' : line.slice(0, recordingLimits.verifyExcerptCharacters).toWellFormed();
}

function sorted(differences: readonly Difference[]): readonly Difference[] {
  return differences
    .toSorted((one, other) => levels.indexOf(other.level) - levels.indexOf(one.level))
    .slice(0, recordingLimits.verifyDifferences);
}
