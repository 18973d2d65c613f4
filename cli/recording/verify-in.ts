import type { Recording } from '../../recording/read/recording.ts';
import { type Difference, type Level, levelOf, levels } from '../../recording/verify/compare-step.ts';
import { type RecordedStep, recordedSteps } from '../../recording/verify/recorded-steps.ts';
import { stepSnapshots } from '../../recording/verify/step-snapshots.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { RunAgain, type RunAgainOptions } from './run-again.ts';

/** A command that differs. */
export interface StepReport extends Pick<RecordedStep, 'command' | 'text' | 'at'> {
  readonly level: Level;
  readonly differences: readonly Difference[];
}

/** What came of a recording that ran again. */
export interface VerifyReport {
  /** The worst of all. */
  readonly level: Level;
  /** Commands by how much they differ. */
  readonly counts: Readonly<Record<Level, number>>;
  readonly steps: readonly StepReport[];
  /** The first that is worse than noise. */
  readonly first: StepReport | undefined;
}

/** Commands that differ and are told: of more, their number. */
const toldSteps = 1_000;

/** Runs the commands of a recording again in a sandbox of its image, to the first that does something else, or with `all` to the end. @throws as `RunAgain` */
export async function verifyIn(
  sandbox: Sandbox,
  recording: Recording,
  { all, ...options }: RunAgainOptions & { readonly all: boolean },
): Promise<VerifyReport> {
  const again = await RunAgain.begin(recording, sandbox, options);
  const steps: StepReport[] = [];
  const counts: Record<Level, number> = { exact: 0, minor: 0, major: 0, halt: 0 };
  const everything = recording.events({ from: 0, to: Number.POSITIVE_INFINITY, signal: options.signal });
  const snapshots = stepSnapshots(recording.landmarks.map(({ event }) => event));
  for await (const step of recordedSteps(everything, snapshots)) {
    // It still ran when the recording ended: there is nothing to compare it with.
    if (step.exitCode === undefined) {
      await again.goTo(step);
      continue;
    }
    const differences = await again.step(step);
    const level = levelOf(differences);
    counts[level]++;
    const { command, text, at } = step;
    if (level !== 'exact' && steps.length < toldSteps) steps.push({ command, text, at, level, differences });
    if (level === 'halt' || (level === 'major' && !all)) break;
  }
  return {
    level: levels.findLast((each) => counts[each] > 0) ?? 'exact',
    ...{ counts, steps },
    first: steps.find((step) => step.level === 'major' || step.level === 'halt'),
  };
}
