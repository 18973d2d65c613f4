import type { Checkpoint } from '../../protocol/checkpoint.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { PastOptions } from '../../protocol/sandbox/recording.ts';
import { hasImage } from '../../protocol/sandbox/sandbox-info.ts';
import type { ArchiveReader } from '../../protocol/sandbox/transfer.ts';
import { SessionNumbers } from '../../recording/edit/session-numbers.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { SecretReplacer } from '../../recording/redact/secret-replacer.ts';
import { Keyframes } from '../../recording/write/keyframes.ts';
import { RecordingWriter } from '../../recording/write/recording-writer.ts';
import type { HistorySnapshot } from '../../tree/history/history.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { nextTask } from '../../tree/next-task.ts';
import type { SandboxState } from '../local-sandbox-parts.ts';
import { OutputBatches } from '../output-log/output-batches.ts';
import { outputBeginMs, readOutput } from '../output-log/read-output.ts';
import type { SandboxRecord } from '../sandbox-settings.ts';
import { GeneratedFile } from './generated-file.ts';
import { inPieces, objectsEvents, snapshotEvents } from './objects-events.ts';
import { headSlackMs, type OutputRange, outputWithin } from './output-within.ts';
import { PastScreens } from './past-screens.ts';
import { clockSlackMs, type PastStep, pastSteps } from './past-steps.ts';
import { recordingHeader } from './recording-header.ts';
import { SnapshotObjects } from './snapshot-objects.ts';

export interface PastParts {
  readonly state: SandboxState;
  readonly info: SandboxRecord;
  /** Checkpoints of the machine, oldest first; none where the runtime keeps none. */
  readonly checkpoints: () => readonly Checkpoint[];
  /** What the first terminal showed at one. */
  readonly screenAt: (checkpoint: number) => Uint8Array;
  /** Throws when there is nothing to read from any more. */
  readonly assertOpen: () => void;
}

interface ChosenParts extends PastParts {
  readonly begin: HistorySnapshot;
  readonly chosen: readonly HistorySnapshot[];
  readonly range: OutputRange;
}

/** What the history, the checkpoints and what is kept of output know of a session, as a recording that is made while it is read. @throws not-found */
export function openPastRecording(ask: PastOptions, parts: PastParts): ArchiveReader {
  const { history } = parts.state;
  const { from, to } = ask;
  const all = history.list();
  const first = from === undefined ? 0 : all.findIndex(({ id }) => id === history.get(from).id);
  const last = to === undefined ? all.length - 1 : all.findIndex(({ id }) => id === history.get(to).id);
  const chosen = all.slice(first, last + 1);
  const [begin] = chosen;
  if (!begin) throw new SandboxError('invalid-argument', 'Cannot save the session: it ends before it begins');
  // What was shown before the first snapshot, and after the last one, is of the session, too.
  const range = {
    from: first === 0 ? undefined : begin,
    to: last === all.length - 1 ? undefined : chosen.at(-1),
  };
  return new GeneratedFile(pieces(ask, { ...parts, begin, chosen, range }), parts);
}

async function* pieces(
  { title, gzip = false, memory = false, image = false, terminals = true, secrets }: PastOptions,
  parts: ChosenParts,
): AsyncGenerator<Uint8Array> {
  const { info, state, begin, chosen, range } = parts;
  const replacer = new SecretReplacer({ secrets, environments: info.envs ? [info.envs] : [] });
  const holdsImage = image && hasImage(info);
  const objects = new SnapshotObjects(state, { keepsMemory: memory, holdsImage });
  const batches = new OutputBatches(state);
  const refs = terminals ? batches.list() : [];
  const keptFromMs = (await outputBeginMs(refs, batches)) ?? Number.POSITIVE_INFINITY;
  const steps = [...pastSteps(chosen, { checkpoints: terminals ? parts.checkpoints() : [], keptFromMs })];
  const beginMs = Math.min(
    steps[0]?.atMs ?? begin.takenAtMs,
    range.from === undefined ? keptFromMs : Number.POSITIVE_INFINITY,
  );
  const header = {
    ...recordingHeader({
      ...{ info, image: state.image, holdsImage, input: false, memory },
      title: title && replacer.replace(title),
      ...{ begin: objects.open(begin.id).snapshot, madeOf: madeOf(steps, keptFromMs) },
    }),
    beginMs,
  };
  const made: Uint8Array[] = [];
  const writer = new RecordingWriter(header, { gzip, write: (piece) => void made.push(piece) });
  using keyframes = new Keyframes(header);
  const screens = new PastScreens(parts.screenAt);
  const numbers = new SessionNumbers();
  let lastAt = 0;
  let isShown = false;
  const add = (event: RecordingEvent, atMs: number) => {
    lastAt = Math.max(lastAt, (atMs - beginMs) / 1_000);
    isShown ||= event.type === 'output';
    for (const told of replacer.event(event)) {
      writer.add(told, lastAt);
      const keyframe = keyframes.after(told, lastAt);
      if (keyframe) writer.add(keyframe, lastAt);
    }
  };
  const written = async () => {
    await writer.flush();
    await nextTask();
    return made.splice(0);
  };
  const addSnapshot = async function* ({ id }: HistorySnapshot, atMs: number): AsyncGenerator<Uint8Array> {
    try {
      const opened = objects.open(id);
      for await (const piece of inPieces(opened.export)) {
        for (const event of objectsEvents(opened.snapshot.id, piece)) add(event, atMs);
        await writer.flush();
        yield* made.splice(0);
      }
      opened.finish();
      for (const event of snapshotEvents(opened.snapshot)) add(event, atMs);
    } catch (cause) {
      // It was forgotten meanwhile, or is damaged.
      parts.assertOpen();
      const { message } = SandboxError.from(cause);
      add({ type: 'note', text: `Snapshot ${id.slice(0, 12)} is not in it: ${message}` }, atMs);
    }
  };
  const addSteps = async function* (count: number): AsyncGenerator<Uint8Array> {
    for (const step of steps.splice(0, count)) {
      if (step.type === 'snapshot') yield* addSnapshot(step.snapshot, step.atMs);
      else for (const event of eventsOf(step, screens)) add(numbers.renumber(event), step.atMs);
      yield* await written();
    }
  };
  const addStepsUntil = (untilMs: number) => addSteps(steps.filter(({ atMs }) => atMs <= untilMs).length);
  /** Where the output says that a snapshot was taken, or gone to. */
  const addHead = async function* (id: string, atMs: number): AsyncGenerator<Uint8Array> {
    const index = steps.findIndex((step) => step.type === 'snapshot' && step.snapshot.id === id);
    if (index >= 0) yield* addSteps(index + 1);
    else if (chosen.some((each) => each.id === id))
      add({ type: 'head', id: objects.idOf(id as SnapshotId) }, atMs);
  };
  if (refs.length > 0) {
    yield* addStepsUntil(keptFromMs - clockSlackMs);
    if (isShown) add({ type: 'note', text: 'From here on, all is there of what was shown' }, keptFromMs);
    const output = readOutput(refs, { batches, numbers, isContinued: isShown });
    for await (const { atMs, event, isLast } of outputWithin(output, range)) {
      yield* addStepsUntil(atMs - headSlackMs);
      if (event.type === 'head') yield* addHead(event.id, atMs);
      else add(event, atMs);
      if (isLast) yield* await written();
    }
  }
  yield* addSteps(steps.length);
  for (const event of replacer.release()) writer.add(event, lastAt);
  const { head } = state.history;
  const recordedHead =
    chosen.some(({ id }) => id === head) && head !== undefined ? objects.idOf(head) : undefined;
  if (recordedHead !== undefined) add({ type: 'head', id: recordedHead }, beginMs);
  if (Object.keys(replacer.counts).length > 0)
    writer.add({ type: 'redacted', counts: replacer.counts }, lastAt);
  await writer.end(0, lastAt);
  yield* made.splice(0);
}

/** What of the session is known from where. */
function madeOf(steps: readonly PastStep[], keptFromMs: number): string {
  const old =
    'of what terminals showed it has what was kept with checkpoints, and nothing of commands that no snapshot names.';
  if (!Number.isFinite(keptFromMs)) return `It was made of the history, after the session: ${old}`;
  const isOlder = steps.some(({ type, atMs }) => type !== 'snapshot' && atMs < keptFromMs);
  const until = isOlder ? ` Until ${new Date(keptFromMs).toISOString()}, ${old}` : '';
  return `It was made after the session, of the history and of what was kept of its output.${until}`;
}

function eventsOf(
  step: Exclude<PastStep, { type: 'snapshot' }>,
  screens: PastScreens,
): readonly RecordingEvent[] {
  if (step.type === 'event') return [step.event];
  return step.type === 'shown' ? screens.show(step.text) : screens.at(step.checkpoint);
}
