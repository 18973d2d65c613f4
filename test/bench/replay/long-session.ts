import { Keyframes } from '../../../recording/write/keyframes.ts';
import { RecordingWriter } from '../../../recording/write/recording-writer.ts';

/** An hour of 100 MB of output, in a session with a command every four seconds. */
export const longSession = { seconds: 3_600, outputBytes: 100_000_000, commands: 900 } as const;

/** Lines as a build writes them: some colour, no two alike. */
function* lines(): Generator<string> {
  for (let n = 0; ; n++) {
    const color = 31 + (n % 6);
    yield `\x1b[${color}m[${n}]\x1b[0m cc -O2 -Wall -c src/part-${(n * 7_919) % 10_007}.c -o build/part-${n}.o # ${(n * 2_654_435_761) % 4_294_967_296}\r\n`;
  }
}

/** The recording of such a session, with its keyframes, as a recorder writes it. */
export async function writeLongSession(write: (piece: Uint8Array) => Promise<void>): Promise<void> {
  const header = { columns: 120, rows: 40, beginMs: 1_764_000_000_000, title: 'An hour' };
  const coppice = { recording: 1, generator: 'coppice bench' } as const;
  const writer = new RecordingWriter({ ...header, coppice }, { write });
  using keyframes = new Keyframes(header);
  const source = lines();
  const { seconds, outputBytes, commands } = longSession;
  const ticks = seconds * 10;
  for (let tick = 0; tick < ticks; tick++) {
    const at = tick / 10;
    if (tick % (ticks / commands) === 0) {
      const command = tick / (ticks / commands) + 1;
      writer.add({ type: 'command', command, text: `make part-${command}`, by: 'exec', terminal: 1 }, at);
    }
    let data = '';
    while (data.length < outputBytes / ticks) data += source.next().value;
    const output = { type: 'output', terminal: 1, data } as const;
    writer.add(output, at);
    const keyframe = keyframes.after(output, at);
    if (keyframe) writer.add(keyframe, at);
    await keyframes.loaded();
    if (tick % 100 === 0) await writer.flush();
  }
  await writer.end(0, seconds);
}
