import { decodeText, type ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { Regex } from '../patterns/regex.ts';
import type { Program } from '../program.ts';
import { checkLineCount } from '../streams/held-lines.ts';
import { readAll } from '../streams/input.ts';
import { Steps } from '../streams/steps.ts';
import { eachLine } from './each-line.ts';

export const rev: Program = defineProgram({
  usage: '[FILE]...',
  summary: 'Reverse lines characterwise.',
  options: { zero: '-0, --zero  use the byte 0 as line separator' },
  run: (invocation) =>
    eachLine(invocation, (line) => [...line].reverse().join(''), {
      delimiter: invocation.options.has('zero') ? '\0' : '\n',
    }),
});

export const tac: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Write each FILE to standard output, last line first.',
  options: {
    before: '-b, --before  attach the separator before instead of after',
    regex: '-r, --regex  interpret the separator as a regular expression',
    separator: '-s, --separator=STRING  use STRING as the separator instead of newline',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const separator = options.value('separator') ?? '\n';
    if (separator === '' && !options.has('regex')) throw new UsageError('separator cannot be empty');
    const expression = options.has('regex')
      ? new Regex(separator, { syntax: 'basic', isMultiline: true })
      : undefined;
    let status = 0;
    for (const name of operands.length > 0 ? operands : ['-']) {
      const messages = {
        name,
        opening: `failed to open ${quoteName(name)} for reading`,
        reading: `${name}: read error`,
      };
      const isDone = await withInput(invocation, messages, async (file) => {
        const text = decodeText(await readAll(file, call.signal));
        const places = await placesOf(text);
        for (let index = places.length - 1; index > 0; index--) {
          out.add(text.slice(places[index - 1], places[index]));
          if (out.isFull) await out.flush();
        }
      });
      if (!isDone) status = 1;
    }
    return status;

    /** Where records begin and end: after their separators, or before them. */
    async function placesOf(text: ShellText): Promise<number[]> {
      const places = [0];
      const steps = new Steps(call.signal);
      for (let at = 0; at < text.length; ) {
        const found = expression ? expression.exec(text, at) : plain(text, at);
        if (found === undefined) break;
        places.push(options.has('before') ? found.start : found.end);
        checkLineCount(places.length);
        at = Math.max(found.end, found.start + 1);
        if (steps.isDue) await steps.next();
      }
      places.push(text.length);
      return places;
    }

    function plain(text: ShellText, from: number): { start: number; end: number } | undefined {
      const start = text.indexOf(separator, from);
      return start < 0 ? undefined : { start, end: start + separator.length };
    }
  },
});
