import { SandboxError } from '../../protocol/errors.ts';
import { GrowingBytes } from '../../protocol/growing-bytes.ts';
import type { TimedEvent } from '../format/recording-event.ts';
import { type RecordingHeader, recordingVersion } from '../format/recording-header.ts';
import { recordingLimits } from '../limits.ts';
import { readRecording } from '../read/read-recording.ts';
import { importClaudeCode } from './claude-code/import-claude-code.ts';
import { importCodex } from './codex/import-codex.ts';
import { detectFormat, type ImportFormat } from './detect-format.ts';
import { fitEvent } from './fit-event.ts';
import { importAtif } from './import-atif.ts';
import { importOrca } from './import-orca.ts';
import type { Importer, ReadSideFile, SessionFacts } from './importer.ts';
import { importLimits } from './limits.ts';
import { cutTitle, type DatedEvent, terminalSize } from './transcript.ts';

export interface ImportOptions {
  /** Who writes the recording, such as `coppice 0.1.0`. */
  readonly generator: string;
  /** Files beside it: none by default. */
  readonly readSideFile?: ReadSideFile;
}

/** A session of any format that is read, as a recording has it. */
export interface ImportedSession {
  readonly format: ImportFormat;
  readonly header: RecordingHeader;
  /** In order; to be read once. @throws invalid-argument, limit-exceeded */
  events(): AsyncIterable<TimedEvent>;
  /** What is wrong with its end, once all events were read: it was cut. */
  readonly damage: string | undefined;
}

const importers: Readonly<Record<Exclude<ImportFormat, 'recording'>, Importer>> = {
  'claude-code': importClaudeCode,
  codex: importCodex,
  atif: importAtif,
  orca: importOrca,
};

/**
 * Reads a session that an agent, a terminal's recorder or Coppice has written, in whatever format: the content tells. All texts in it are data of
 * whoever made the file (H-9), and nothing but `readSideFile` is asked for files that it names.
 * @throws invalid-argument for a format that is not known, limit-exceeded
 */
export async function importSession(
  pieces: AsyncIterable<Uint8Array>,
  { generator, readSideFile = async () => undefined }: ImportOptions,
): Promise<ImportedSession> {
  const { beginning, all } = await peek(pieces);
  if (beginning.length === 0) throw new SandboxError('invalid-argument', 'Cannot import an empty file');
  const format = detectFormat(beginning);
  if (format === 'recording') {
    const stream = await readRecording(all);
    return {
      format,
      header: stream.header,
      events: () => stream.events(),
      get damage() {
        return stream.damage;
      },
    };
  }
  const facts: SessionFacts = { omitted: [] };
  const dated = importers[format]({ pieces: all, readSideFile, facts })[Symbol.asyncIterator]();
  const first = await readFirst(dated, facts);
  const beginMs = facts.beginMs ?? first.find(({ ms }) => ms > 0)?.ms ?? 0;
  return {
    format,
    header: headerOf(facts, { format, generator, beginMs: Math.round(beginMs) }),
    events: () => timed(first, dated, beginMs),
    damage: undefined,
  };
}

/** Some events, for what the header says: up to what a person asked first, which is the title of a session without one. */
async function readFirst(dated: AsyncIterator<DatedEvent>, facts: SessionFacts): Promise<DatedEvent[]> {
  const first: DatedEvent[] = [];
  while (first.length < importLimits.headerEvents) {
    const next = await dated.next();
    if (next.done) break;
    first.push(next.value);
    const { event } = next.value;
    if (event.type !== 'message' || event.role !== 'user') continue;
    facts.title ??= cutTitle(event.text);
    break;
  }
  return first;
}

function headerOf(
  facts: SessionFacts,
  of: { readonly format: string; readonly generator: string; readonly beginMs: number },
): RecordingHeader {
  const { title, command, omitted, agent, model, cwd, columns, rows } = facts;
  const session = { ...(agent ? { agent } : {}), ...(model ? { model } : {}), ...(cwd ? { cwd } : {}) };
  return {
    columns: columns ?? terminalSize.columns,
    rows: rows ?? terminalSize.rows,
    beginMs: of.beginMs,
    ...(title ? { title } : {}),
    ...(command ? { command } : {}),
    coppice: {
      recording: recordingVersion,
      generator: of.generator,
      source: of.format,
      ...(omitted.length > 0 ? { omitted } : {}),
    },
    ...(Object.keys(session).length > 0 ? { rest: { session } } : {}),
  };
}

async function* timed(
  first: readonly DatedEvent[],
  rest: AsyncIterator<DatedEvent>,
  beginMs: number,
): AsyncGenerator<TimedEvent> {
  let atMs = 0;
  let hasEnded = false;
  const place = function* ({ ms, event }: DatedEvent): Generator<TimedEvent> {
    if (hasEnded) return;
    atMs = Math.min(Math.max(atMs, Math.round(ms - beginMs)), recordingLimits.intervalSeconds * 1_000);
    hasEnded = event.type === 'end';
    for (const fitting of fitEvent(event)) yield { at: atMs / 1_000, event: fitting };
  };
  for (const each of first) yield* place(each);
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield* place(next.value);
  if (!hasEnded) yield { at: atMs / 1_000, event: { type: 'end', exitCode: 0 } };
}

/** The beginning of a file, and all of it. */
async function peek(
  pieces: AsyncIterable<Uint8Array>,
): Promise<{ readonly beginning: Uint8Array; readonly all: AsyncIterable<Uint8Array> }> {
  const read = pieces[Symbol.asyncIterator]();
  const beginning = new GrowingBytes();
  while (beginning.length < importLimits.detectBytes) {
    const next = await read.next();
    if (next.done) break;
    beginning.add(next.value);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield beginning.view;
      for (let next = await read.next(); !next.done; next = await read.next()) yield next.value;
    } finally {
      await read.return?.();
    }
  }
  return { beginning: beginning.view.subarray(0, importLimits.detectBytes), all: all() };
}
