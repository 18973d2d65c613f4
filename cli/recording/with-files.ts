import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import type { SessionStream } from '../../recording/format/session-stream.ts';
import { alignWithSnapshots } from '../../recording/import/align-with-snapshots.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { callLabel } from '../wrap/describe-call.ts';

/** A session beside the files of where it ran: the history of a sandbox or of a folder. Whoever gets it disposes of it. */
export interface SessionWithFiles extends AsyncDisposable {
  readonly session: SessionStream;
}

/**
 * Puts the snapshots that led to HEAD into a session of an agent, each call beside the snapshot after it. The sandbox itself writes them, as a recording of
 * its past: each object once.
 * @throws as `Cli.openSandbox` and `Sandbox.record`
 */
export async function withFiles(
  session: SessionStream,
  options: SharedOptions,
  cli: Cli,
): Promise<SessionWithFiles> {
  await using stack = new AsyncDisposableStack();
  const { sandbox } = stack.use(await cli.openSandbox(options));
  const { snapshots } = await sandbox.history.get();
  const recording = stack.use(await sandbox.record({ history: true }));
  const stopped = recording.stop();
  // It may end by being closed, when the session needs no more of it.
  stopped.catch(() => undefined);
  const past = await readRecording(recording);
  const marks = snapshots.map(({ id, cause, takenAtMs }) => ({
    id,
    takenAtMs,
    ...(cause.type === 'manual' ? { label: cause.label } : {}),
  }));
  const parts = { snapshots: marks, objects: eventsOf(past), labelOf: callLabel };
  const aligned = alignWithSnapshots(session, parts);
  const owned = stack.move();
  return {
    session: { ...aligned, header: withSandbox(aligned.header, past.header) },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function* eventsOf(past: Awaited<ReturnType<typeof readRecording>>): AsyncGenerator<RecordingEvent> {
  for await (const { event } of past.events()) yield event;
}

/** What the recording of the past says of the sandbox. */
function withSandbox(
  header: SessionStream['header'],
  { coppice: past }: SessionStream['header'],
): SessionStream['header'] {
  const { generator: _, omitted = [], begin, ...sandbox } = past;
  const { coppice } = header;
  return {
    ...header,
    coppice: {
      ...sandbox,
      ...coppice,
      ...((coppice.begin ?? begin) ? { begin: coppice.begin ?? begin } : {}),
      omitted: [...(coppice.omitted ?? []), ...omitted],
    },
  };
}
