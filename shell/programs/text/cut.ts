import { decodeText, encodeText, type ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { UsageError } from '../messages/program-error.ts';
import type { Program } from '../program.ts';
import { textLines } from '../streams/text-lines.ts';
import { complementRanges, parseRanges, type Range } from './ranges.ts';

export const cut: Program = defineProgram({
  usage: 'OPTION... [FILE]...',
  summary: 'Print selected parts of lines from each FILE to standard output.',
  options: {
    bytes: '-b, --bytes=LIST  select only these bytes',
    characters: '-c, --characters=LIST  select only these characters',
    delimiter: '-d, --delimiter=DELIM  use DELIM instead of TAB for field delimiter',
    fields: '-f, --fields=LIST  select only these fields',
    ignored: '-n  (ignored)',
    complement: '--complement  complement the set of selected bytes, characters or fields',
    only: '-s, --only-delimited  do not print lines not containing delimiters',
    output: '--output-delimiter=STRING  use STRING as the output delimiter',
    zero: '-z, --zero-terminated  line delimiter is NUL, not newline',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const kinds = options.given.filter(({ key }) => ['bytes', 'characters', 'fields'].includes(key));
    if (kinds.length > 1) throw new UsageError('only one list may be specified');
    const kind = options.last('bytes', 'characters', 'fields');
    if (kind === undefined) throw new UsageError('you must specify a list of bytes, characters, or fields');
    const given = options.value('delimiter');
    if (given !== undefined && [...given].length > 1)
      throw new UsageError('the delimiter must be a single character');
    if (kind !== 'fields' && given !== undefined) {
      throw new UsageError('an input delimiter may be specified only when operating on fields');
    }
    if (kind !== 'fields' && options.has('only')) {
      throw new UsageError('suppressing non-delimited lines makes sense\n\tonly when operating on fields');
    }
    const listed = parseRanges(
      options.value(kind) ?? '',
      kind === 'fields' ? 'fields' : 'byte/character positions',
    );
    const ranges = options.has('complement') ? complementRanges(listed) : listed;
    const delimiter = given === undefined ? '\t' : given === '' ? '\0' : given;
    const between = options.value('output');
    const end = options.has('zero') ? '\0' : '\n';
    const select =
      kind === 'fields'
        ? (line: ShellText) =>
            cutFields(line, ranges, { delimiter, between: between ?? delimiter, only: options.has('only') })
        : (line: ShellText) => cutBytes(line, ranges, between);
    let status = 0;
    for (const name of operands.length > 0 ? operands : ['-']) {
      const isDone = await withInput(invocation, { name }, async (file) => {
        for await (const { lines } of textLines(file, call.signal, end)) {
          for (const line of lines) {
            const selected = select(line);
            if (selected !== undefined) out.add(selected + end);
          }
          if (out.isFull) await out.flush();
        }
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

function cutFields(
  line: ShellText,
  ranges: readonly Range[],
  { delimiter, between, only }: { delimiter: string; between: string; only: boolean },
): ShellText | undefined {
  if (!line.includes(delimiter)) return only ? undefined : line;
  const fields = line.split(delimiter);
  return ranges.flatMap(({ first, last }) => fields.slice(first - 1, last)).join(between);
}

/** GNU's `-c` counts bytes as `-b` does. */
function cutBytes(line: ShellText, ranges: readonly Range[], between: ShellText | undefined): ShellText {
  const isAscii = !/[^\0-\x7f]/.test(line);
  const bytes = isAscii ? undefined : encodeText(line);
  const length = bytes?.length ?? line.length;
  const parts = ranges
    .filter(({ first }) => first <= length)
    .map(({ first, last }) => {
      return bytes ? decodeText(bytes.subarray(first - 1, last)) : line.slice(first - 1, last);
    });
  return parts.join(between ?? '');
}
