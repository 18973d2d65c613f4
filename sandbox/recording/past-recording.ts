import type { Checkpoint } from '../../protocol/checkpoint.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { PastOptions } from '../../protocol/sandbox/recording.ts';
import { hasImage } from '../../protocol/sandbox/sandbox-info.ts';
import type { ArchiveReader } from '../../protocol/sandbox/transfer.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { SecretReplacer } from '../../recording/redact/secret-replacer.ts';
import { Keyframes } from '../../recording/write/keyframes.ts';
import { RecordingWriter } from '../../recording/write/recording-writer.ts';
import type { HistorySnapshot } from '../../tree/history/history.ts';
import { nextTask } from '../../tree/next-task.ts';
import type { SandboxState } from '../local-sandbox-parts.ts';
import type { SandboxRecord } from '../sandbox-settings.ts';
import { GeneratedFile } from './generated-file.ts';
import { inPieces, objectsEvents, snapshotEvents } from './objects-events.ts';
import { PastScreens } from './past-screens.ts';
import { type PastStep, pastSteps } from './past-steps.ts';
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

/** What the history and the checkpoints know of a session, as a recording that is made while it is read. @throws not-found */
export function openPastRecording(ask: PastOptions, parts: PastParts): ArchiveReader {
  const { history } = parts.state;
  const { from, to } = ask;
  const all = history.list();
  const first = from === undefined ? 0 : all.findIndex(({ id }) => id === history.get(from).id);
  const last = to === undefined ? all.length - 1 : all.findIndex(({ id }) => id === history.get(to).id);
  const chosen = all.slice(first, last + 1);
  const [begin] = chosen;
  if (begin) return new GeneratedFile(pieces(ask, { ...parts, begin, chosen }), parts);
  throw new SandboxError('invalid-argument', 'Cannot save the session: it ends before it begins');
}

async function* pieces(
  { title, gzip = false, memory = false, image = false, terminals = true, secrets }: PastOptions,
  parts: PastParts & { readonly begin: HistorySnapshot; readonly chosen: readonly HistorySnapshot[] },
): AsyncGenerator<Uint8Array> {
  const { info, state, begin, chosen } = parts;
  const replacer = new SecretReplacer({ secrets, environments: info.envs ? [info.envs] : [] });
  const holdsImage = image && hasImage(info);
  const objects = new SnapshotObjects(state, { keepsMemory: memory, holdsImage });
  const steps = pastSteps(chosen, terminals ? parts.checkpoints() : []);
  const beginMs = steps[0]?.atMs ?? begin.takenAtMs;
  const header = {
    ...recordingHeader({
      ...{
        info,
        image: state.image,
        holdsImage,
        input: false,
        memory,
        title: title && replacer.replace(title),
      },
      begin: objects.open(begin.id).snapshot,
      isPast: true,
    }),
    beginMs,
  };
  const made: Uint8Array[] = [];
  const writer = new RecordingWriter(header, { gzip, write: (piece) => void made.push(piece) });
  using keyframes = new Keyframes(header);
  const screens = new PastScreens(parts.screenAt);
  const add = (event: RecordingEvent, at: number) => {
    for (const told of replacer.event(event)) {
      writer.add(told, at);
      const keyframe = keyframes.after(told, at);
      if (keyframe) writer.add(keyframe, at);
    }
  };
  for (const step of steps) {
    const at = Math.max(0, step.atMs - beginMs) / 1_000;
    if (step.type === 'snapshot') {
      try {
        const opened = objects.open(step.snapshot.id);
        for await (const piece of inPieces(opened.export)) {
          for (const event of objectsEvents(opened.snapshot.id, piece)) add(event, at);
          await writer.flush();
          yield* made.splice(0);
        }
        opened.finish();
        for (const event of snapshotEvents(opened.snapshot)) add(event, at);
      } catch (cause) {
        // It was forgotten meanwhile, or is damaged.
        parts.assertOpen();
        const { message } = SandboxError.from(cause);
        add({ type: 'note', text: `Snapshot ${step.snapshot.id.slice(0, 12)} is not in it: ${message}` }, at);
      }
    } else for (const event of eventsOf(step, screens)) add(event, at);
    await writer.flush();
    yield* made.splice(0);
    await nextTask();
  }
  const last = Math.max(0, (steps.at(-1)?.atMs ?? beginMs) - beginMs) / 1_000;
  for (const event of replacer.release()) writer.add(event, last);
  const { head } = state.history;
  const recordedHead =
    chosen.some(({ id }) => id === head) && head !== undefined ? objects.idOf(head) : undefined;
  if (recordedHead !== undefined) add({ type: 'head', id: recordedHead }, last);
  if (Object.keys(replacer.counts).length > 0)
    writer.add({ type: 'redacted', counts: replacer.counts }, last);
  await writer.end(0, last);
  yield* made.splice(0);
}

function eventsOf(
  step: Exclude<PastStep, { type: 'snapshot' }>,
  screens: PastScreens,
): readonly RecordingEvent[] {
  if (step.type === 'event') return [step.event];
  return step.type === 'shown' ? screens.show(step.text) : screens.at(step.checkpoint);
}
