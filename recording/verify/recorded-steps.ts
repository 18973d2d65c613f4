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
  /** The snapshot that the session went to before it, after the command before. */
  readonly from: string | undefined;
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
  /** As `StepSnapshots.named`. */
  readonly named: string | undefined;
}

type Stream = 'stdout' | 'stderr';
type Mutable = { -readonly [Key in keyof RecordedStep]: RecordedStep[Key] } & {
  isPromptDue: boolean;
  /** Ends of lines that its terminal will show of the command itself, where it is shown piece by piece as if somebody typed it. */
  typedLines: number;
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
  #from: string | undefined;
  #hasBegun = false;
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
        named: this.#snapshots.named.get(command),
      };
      const state = { isPromptDue: by !== 'terminal', typedLines: 0, hasEnded: false };
      const from = this.#from;
      const step: Mutable = { command, at, text, argv, cwd, user, by, terminal, from, ...unknown, ...state };
      this.#from = undefined;
      this.#open.push(step);
      this.#shows.set(terminal, { step, stream: 'stdout' });
    } else if (event.type === 'source') {
      const step = this.#open.find(({ command }) => command === event.command);
      if (step) this.#shows.set(step.terminal, { step, stream: event.stream });
    } else if (event.type === 'head') this.#go(event.id);
    else if (event.type === 'output') this.#show(event);
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

  /** The first time, that is where the recording begins. */
  #go(id: string): void {
    const last = this.#open.at(-1);
    // What runs would have ended: on a busy host, this is written late.
    if (this.#hasBegun && last?.hasEnded === false) last.from = id;
    else if (this.#hasBegun) this.#from = id;
    this.#hasBegun = true;
  }

  #show({ terminal, data }: Extract<RecordingEvent, { readonly type: 'output' }>): void {
    const shows = this.#shows.get(terminal);
    if (shows === undefined || shows.step.hasEnded) return;
    const { step, stream } = shows;
    const isPrompt = step.isPromptDue && prompt.test(data);
    step.isPromptDue = false;
    if (isPrompt && !data.endsWith('\n')) step.typedLines = step.text.split('\n').length;
    else if (step.typedLines > 0) step.typedLines -= data.split('\n').length - 1;
    else if (!isPrompt) this.#print(step, { stream, data });
  }

  #print(step: Mutable, { stream, data }: { readonly stream: Stream; readonly data: string }): void {
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
