import { SandboxError } from '../../protocol/errors.ts';
import { isGzip } from '../read/gunzip.ts';
import { type Fields, fieldsIn, fieldsOf, parseJson, textIn } from './fields.ts';

/** What a file may be. A recording of ours is an asciicast too. */
export type ImportFormat = 'recording' | 'claude-code' | 'codex' | 'atif' | 'orca';

/** Types of a rollout's lines. */
const codexTypes = new Set(['session_meta', 'turn_context', 'response_item', 'event_msg', 'compacted']);

/**
 * The format of a file, by what it begins with: at most `importLimits.detectBytes` of it. Names of files say nothing here.
 * @throws invalid-argument for none that is known
 */
export function detectFormat(beginning: Uint8Array): ImportFormat {
  if (isGzip(beginning)) return 'recording';
  const text = new TextDecoder().decode(beginning).replace(/^\u{feff}/u, '');
  const lines = text.split('\n');
  for (const line of lines) {
    const fields = fieldsOf(parseJson(line));
    const format = formatOfLine(fields);
    if (format) return format;
  }
  // One document, perhaps over many lines, or a first line that is longer than what was looked at.
  if (/^\s*\{/.test(text)) {
    if (/^\s*\{\s*"version"\s*:\s*\d/.test(text)) return 'recording';
    if (/"schema_version"\s*:\s*"ATIF-v1\./.test(text)) return 'atif';
    if (/"type"\s*:\s*"session_meta"/.test(text)) return 'codex';
    if (/"parentUuid"\s*:/.test(text)) return 'claude-code';
  }
  throw new SandboxError(
    'invalid-argument',
    'Cannot tell what this file is: recordings, asciicasts, sessions of Claude Code and Codex, ATIF and Orca traces are read',
  );
}

function formatOfLine(fields: Fields): ImportFormat | undefined {
  const type = textIn(fields, 'type');
  // One of another version is refused by name where recordings are read.
  if (Number.isInteger(fields.version) && (fields.term ?? fields.width) !== undefined) return 'recording';
  if (/^ATIF-v1\./.test(textIn(fields, 'schema_version') ?? '')) return 'atif';
  if (type === undefined) return undefined;
  if (codexTypes.has(type) && Object.hasOwn(fields, 'payload')) return 'codex';
  if (Number.isInteger(fields.seq) && Object.hasOwn(fields, 'mono_us')) return 'orca';
  const isMessage = type === 'user' || type === 'assistant';
  if (
    Object.hasOwn(fields, 'parentUuid') ||
    (isMessage && Object.hasOwn(fieldsIn(fields, 'message'), 'content'))
  )
    return 'claude-code';
  return undefined;
}
