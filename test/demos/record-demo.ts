import { Sandbox } from '../../cli/index.ts';
import type { Demo, DemoStage } from '../../examples/demos/demo.ts';
import type { TimedEvent } from '../../recording/format/recording-event.ts';
import type { RecordingHeader } from '../../recording/format/recording-header.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import { RecordingWriter } from '../../recording/write/recording-writer.ts';
import { machineBackend } from '../machine/machine-backend.ts';
import { drawScreen } from './draw-screen.ts';
import { FollowedFile } from './followed-file.ts';
import { installPackages } from './install-packages.ts';
import { paceEvents } from './pace-events.ts';

/** A demo as it was played. */
export interface RecordedDemo {
  /** A gzip of an asciicast. */
  readonly file: Uint8Array;
  /** An SVG of what the terminal showed at the end. */
  readonly picture: string;
  readonly seconds: number;
  /** The digest of its image. */
  readonly imageDigest: string | undefined;
}

/** Plays a demo in a new sandbox, and records it: what happened, with the times of a person who shows it. */
export async function recordDemo(demo: Demo, onCommand: (command: string) => void): Promise<RecordedDemo> {
  const backend = demo.image === undefined ? undefined : await machineBackend(demo.image);
  await using sandbox = await Sandbox.create({ name: 'demo', ...(backend ? { backend } : {}) });
  const recording = await sandbox.record({ title: demo.title });
  const file = new FollowedFile(recording);
  const shell = await sandbox.shell();
  // What comes next in the file comes after the snapshot of what was before it.
  const here = async () => {
    await sandbox.history.settle();
    const head = await sandbox.history.head();
    await file.shows(head);
    return head;
  };
  const stage: DemoStage = {
    sandbox,
    recording,
    run: async (command) => {
      onCommand(command);
      const result = await shell.run(command);
      await here();
      return result;
    },
    here,
    install: async (folder) => {
      onCommand(`(npm install in ${folder})`);
      const printed = await installPackages(sandbox, folder);
      await here();
      return printed;
    },
    goTo: async (snapshot) => {
      onCommand(`(back to ${snapshot.slice(0, 12)})`);
      await sandbox.checkout(snapshot);
    },
  };
  await demo.play(stage);
  await recording.stop();
  return pacedFile(await file.whole);
}

async function pacedFile(pieces: readonly Uint8Array[]): Promise<RecordedDemo> {
  const { header, ...stream } = await openStream(pieces);
  const { image } = header.coppice;
  const written: Uint8Array[] = [];
  const writer = new RecordingWriter(header, { gzip: true, write: (piece) => void written.push(piece) });
  let output = '';
  let seconds = 0;
  for (const { at, event } of paceEvents(stream.events)) {
    writer.add(event, at);
    if (event.type === 'output' && event.terminal === 1) output += event.data;
    seconds = at;
  }
  await writer.flush();
  return {
    file: Buffer.concat(written),
    picture: await drawScreen(output, header),
    seconds: Math.round(seconds),
    imageDigest: image?.digest,
  };
}

async function openStream(
  pieces: readonly Uint8Array[],
): Promise<{ readonly header: RecordingHeader; readonly events: readonly TimedEvent[] }> {
  const stream = await readRecording(toAsync(pieces));
  const events: TimedEvent[] = [];
  for await (const event of stream.events()) events.push(event);
  if (stream.damage !== undefined) throw new Error(`The recording is damaged: ${stream.damage}`);
  return { header: stream.header, events };
}

async function* toAsync<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
