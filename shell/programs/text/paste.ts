import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError } from '../messages/program-error.ts';
import type { Program } from '../program.ts';
import { LineReader } from '../streams/line-reader.ts';
import { withInputs } from '../streams/open-inputs.ts';

const escapes: Readonly<Record<string, string>> = {
  '0': '',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

export const paste: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary:
    'Write lines consisting of the sequentially corresponding lines from each FILE, separated by TABs.',
  options: {
    delimiters: '-d, --delimiters=LIST  reuse characters from LIST instead of TABs',
    serial: '-s, --serial  paste one file at a time instead of in parallel',
    zero: '-z, --zero-terminated  line delimiter is NUL, not newline',
  },
  async run({ call, options, operands, out }) {
    const list = options.value('delimiters') ?? '\t';
    if (/(?<!\\)(\\\\)*\\$/.test(list)) {
      throw new ProgramError(`delimiter list ends with an unescaped backslash: ${list}`);
    }
    const delimiters = [...list.matchAll(/\\([\s\S])|[\s\S]/gu)].map(([whole, escaped]) =>
      escaped === undefined ? whole : Object.hasOwn(escapes, escaped) ? (escapes[escaped] ?? '') : escaped,
    );
    const delimiter = (index: number): ShellText =>
      delimiters.length === 0 ? '' : (delimiters[index % delimiters.length] ?? '');
    const end = options.has('zero') ? '\0' : '\n';
    const names = operands.length > 0 ? operands : ['-'];
    return withInputs(call, names, async (files) => {
      // Operands that are standard input take turns.
      const readers = new Map(files.map((file) => [file, new LineReader(file, call.signal, end)]));
      const inputs = files.map((file) => readers.get(file) ?? new LineReader(file, call.signal, end));
      if (options.has('serial')) {
        for (const input of inputs) {
          let line = await input.next();
          for (let index = 0; line !== undefined; index++) {
            const next = await input.next();
            await out.write(next === undefined ? line : `${line}${delimiter(index)}`);
            line = next;
          }
          out.add(end);
        }
        return 0;
      }
      for (;;) {
        const lines: (ShellText | undefined)[] = [];
        for (const input of inputs) lines.push(await input.next());
        if (lines.every((line) => line === undefined)) return 0;
        const row = lines.map(
          (line, index) => `${line ?? ''}${index < lines.length - 1 ? delimiter(index) : end}`,
        );
        await out.write(row.join(''));
      }
    });
  },
});
