import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SandboxError } from '../../protocol/errors.ts';
import { toAsciicast } from '../../recording/export/to-asciicast.ts';
import { toAtif } from '../../recording/export/to-atif.ts';
import { toHtml } from '../../recording/export/to-html.ts';
import { toJsonLines } from '../../recording/export/to-json-lines.ts';
import { toRecording } from '../../recording/export/to-recording.ts';
import type { SessionStream } from '../../recording/format/session-stream.ts';

type Writes = (
  session: SessionStream,
  options: { readonly gzip: boolean },
) => AsyncIterable<Uint8Array | string>;

interface OutputFormat {
  /** For `--help`. */
  readonly does: string;
  /** Endings of names for which it is the usual one. */
  readonly endings: readonly string[];
  /** Absent for a folder, which is several files. */
  readonly write?: Writes;
}

/** What a recording can be written as, by the names that `--to` takes. */
export const formats: Readonly<Record<string, OutputFormat>> = {
  recording: {
    does: 'all of it, as an asciicast with our events',
    endings: ['.cast', '.cast.gz'],
    write: toRecording,
  },
  asciicast: {
    does: 'the first terminal as a plain asciicast v3',
    endings: [],
    write: (session) => toAsciicast(session, { version: 3 }),
  },
  'asciicast-v2': {
    does: 'the same for older players',
    endings: [],
    write: (session) => toAsciicast(session, { version: 2 }),
  },
  atif: { does: 'a trajectory, ATIF 1.7', endings: ['.json'], write: toAtif },
  html: {
    does: 'one page that plays it in any browser, from its file too and without a network; without the files of snapshots',
    endings: ['.html'],
    write: writePage,
  },
  folder: { does: 'an index and segments for a static server', endings: ['/'] },
  jsonl: { does: 'each event as a line of JSON', endings: ['.jsonl', '.ndjson'], write: toJsonLines },
};

/** The name of a format, as it was asked for or as a file's name says: a recording of anything else. @throws invalid-argument */
export function formatFor(file: string, asked: string | undefined): string {
  if (asked !== undefined) {
    if (Object.hasOwn(formats, asked)) return asked;
    const known = Object.keys(formats).join(', ');
    throw new SandboxError('invalid-argument', `There is no format ${asked}: give one of ${known}`);
  }
  const found = Object.entries(formats).find(([, { endings }]) =>
    endings.some((each) => file.endsWith(each)),
  );
  return found?.[0] ?? 'recording';
}

async function* writePage(session: SessionStream): AsyncGenerator<string> {
  const terminalModule = await readFile(fileURLToPath(import.meta.resolve('@xterm/headless')), 'utf8');
  yield* toHtml(session, { terminalModule });
}
