import type { RecordingEvent, TimedEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';
import type { StepSnapshots } from './step-snapshots.ts';

/** A command of a recording with what came of it. */
export interface RecordedStep {
  readonly command: number;
  /** Seconds since the recording began. */
  readonly at: number;
  readonly text: string;
  readonly argv: readonly string[] | undefined;
  readonly cwd: string | undefined;
  readonly user: string | undefined;
  readonly by: string;
  /** The terminal that showed it: commands of one share a shell, where somebody typed them. */
  readonly terminal: number;
  /** Absent for one that still ran at the end. */
  readonly exitCode: number | undefined;
  /** What each stream printed, as far as it is in the recording, with LF at the ends of lines. */
  readonly stdout: string;
  readonly stderr: string;
  readonly digests: { readonly stdout: string; readonly stderr: string } | undefined;
  /** As `StepSnapshots.after`. */
  readonly snapshot: string | undefined;
  /** As `StepSnapshots.during`. */
  readonly during: string | undefined;
}

type Stream = 'stdout' | 'stderr';
type Mutable = { -readonly [Key in keyof RecordedStep]: RecordedStep[Key] } & {
  isPromptDue: boolean;
  hasEnded: boolean;
};

/** A prompt with the command, which is shown for a command that nobody typed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is in colours.
const prompt = /^(?:\r\n)?(?:\x1b\[[\d;]*m)?[$#](?:\x1b\[[\d;]*m)? /;

/** The commands of a recording in the order in which they began, each once it has ended and the next has begun. */
export async function* recordedSteps(
  events: AsyncIterable<TimedEvent>,
  snapshots: StepSnapshots,
): AsyncGenerator<RecordedStep> {
  const steps = new Steps(snapshots);
  for await (const timed of events) yield* steps.add(timed);
  yield* steps.end();
}

class Steps {
  /** Those that are not told yet, in the order in which they began. */
  #open: Mutable[] = [];
  readonly #snapshots: StepSnapshots;
  /** Whose output each terminal shows. */
  readonly #shows = new Map<number, { readonly step: Mutable; readonly stream: Stream }>();

  constructor(snapshots: StepSnapshots) {
    this.#snapshots = snapshots;
  }

  *add({ at, event }: TimedEvent): Generator<RecordedStep> {
    if (event.type === 'command') {
      yield* this.#told();
      const { command, text, argv, cwd, user, by, terminal } = event;
      const unknown = {
        exitCode: undefined,
        stdout: '',
        stderr: '',
        digests: undefined,
        snapshot: this.#snapshots.after.get(command),
        during: this.#snapshots.during.get(command),
      };
      const state = { isPromptDue: by !== 'terminal', hasEnded: false };
      const step: Mutable = { command, at, text, argv, cwd, user, by, terminal, ...unknown, ...state };
      this.#open.push(step);
      this.#shows.set(terminal, { step, stream: 'stdout' });
    } else if (event.type === 'source') {
      const step = this.#open.find(({ command }) => command === event.command);
      if (step) this.#shows.set(step.terminal, { step, stream: event.stream });
    } else if (event.type === 'output') this.#show(event);
    else if (event.type === 'command-end') this.#end(event);
  }

  *end(): Generator<RecordedStep> {
    for (const step of this.#open) yield step;
    this.#open = [];
  }

  /** Those at the beginning that have ended: nothing more comes of them. */
  *#told(): Generator<RecordedStep> {
    while (this.#open[0]?.hasEnded) {
      const step = this.#open.shift();
      if (step) yield step;
    }
  }

  #show({ terminal, data }: Extract<RecordingEvent, { readonly type: 'output' }>): void {
    const shows = this.#shows.get(terminal);
    if (shows === undefined || shows.step.hasEnded) return;
    const { step, stream } = shows;
    const isPrompt = step.isPromptDue && prompt.test(data);
    step.isPromptDue = false;
    if (isPrompt) return;
    const room = recordingLimits.verifyOutputCharacters - step[stream].length;
    step[stream] += data.slice(0, Math.max(0, room));
  }

  #end({ command, exitCode, output }: Extract<RecordingEvent, { readonly type: 'command-end' }>): void {
    const step = this.#open.find((each) => each.command === command && !each.hasEnded);
    if (step === undefined) return;
    step.hasEnded = true;
    step.exitCode = exitCode;
    step.digests = output;
    step.stdout = step.stdout.replaceAll('\r\n', '\n');
    step.stderr = step.stderr.replaceAll('\r\n', '\n');
  }
}
