import { type Fields, fieldsIn, fieldsOf, parseJson, textIn, timeIn } from '../fields.ts';
import type { ImportSource } from '../importer.ts';
import { importLimits } from '../limits.ts';
import { type Line, readLines } from '../read-lines.ts';
import { cutTitle, type DatedEvent, Transcript } from '../transcript.ts';
import { endOf } from './codex-results.ts';
import { CodexSession } from './codex-session.ts';

/** A line that was read, and has not become events yet. */
interface AheadLine {
  readonly text: string;
  readonly fields: Fields;
}

/**
 * A rollout of Codex: two logs in one file, of what the model exchanges (`response_item`) and of what is shown (`event_msg`). What both tell
 * becomes one event, by a window of lines that is read ahead: a command's result is that of `exec_command_end`, and its account for the
 * model is dropped; what a person typed is what `user_message` tells, and other text with the role of a user was put in by the program.
 */
export async function* importCodex(source: ImportSource): AsyncGenerator<DatedEvent> {
  const transcript = new Transcript('codex');
  const session = new CodexSession(transcript, source.facts);
  const ahead: AheadLine[] = [];
  let units = 0;
  const next = () => {
    const line = ahead.shift();
    if (!line) return;
    units -= line.text.length;
    transcript.at(timeIn(line.fields, 'timestamp'));
    session.read(line.fields, line.text);
  };
  for await (const line of readLines(source.pieces)) {
    const read = readAhead(line, transcript);
    if (!read) continue;
    noteFacts(read.fields, source);
    ahead.push(read);
    units += read.text.length;
    const payload = fieldsIn(read.fields, 'payload');
    if (textIn(read.fields, 'type') === 'event_msg') {
      if (textIn(payload, 'type') === 'user_message') session.expectTyped(textIn(payload, 'message') ?? '');
      const end = endOf(payload);
      if (end) session.expectEnd(end.id);
    }
    while (ahead.length > importLimits.lookaheadLines || units > importLimits.lookaheadUnits) next();
    yield* transcript.take();
  }
  while (ahead.length > 0) {
    next();
    yield* transcript.take();
  }
  yield* transcript.finish();
}

function readAhead({ text, number }: Line, transcript: Transcript): AheadLine | undefined {
  if (text === undefined) transcript.leftOut(number, 'it is too long');
  if (text === undefined || text.trim() === '') return undefined;
  return { text, fields: fieldsOf(parseJson(text)) };
}

function noteFacts(line: Fields, { facts }: ImportSource): void {
  const payload = fieldsIn(line, 'payload');
  if (textIn(line, 'type') !== 'session_meta') return;
  const version = textIn(payload, 'cli_version');
  if (version !== undefined) facts.agent ??= `codex ${cutTitle(version)}`;
  const cwd = textIn(payload, 'cwd');
  if (cwd !== undefined) facts.cwd ??= cwd;
}
