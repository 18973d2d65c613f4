import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { withInput } from '../command-line/with-input.ts';
import type { Program } from '../program.ts';
import { pieces } from '../streams/input.ts';

export const strings: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Print the sequences of printable characters in files.',
  options: {
    all: '-a, --all  scan the entire file (default)',
    name: '-f, --print-file-name  print the name of the file before each string',
    least: '-n, --bytes=MIN-LEN  print any sequence of at least MIN-LEN characters (default 4)',
    radix: '-t, --radix=RADIX  print the location of the string in base 8, 10 or 16: o, d, x',
    encoding: '-e, --encoding=ENCODING  (ignored)',
    whitespace: '-w, --include-all-whitespace  include all whitespace as valid string characters',
  },
  rewrite: (args) => args.map((argument) => argument.replace(/^-(\d+)$/, '-n$1')),
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const least = Math.max(countOf(options.value('least') ?? '4', 'invalid minimum string length'), 1);
    const radix = { o: 8, d: 10, x: 16 }[options.value('radix') ?? ''];
    const isPrintable = (byte: number) =>
      (byte >= 0x20 && byte < 0x7f) ||
      byte === 0x09 ||
      (options.has('whitespace') && byte >= 0x0a && byte <= 0x0d);
    let status = 0;
    for (const name of operands.length > 0 ? operands : ['-']) {
      const isDone = await withInput(invocation, { name }, async (file) => {
        let text = '';
        let offset = 0;
        const end = () => {
          if (text.length >= least) {
            const where = radix === undefined ? '' : `${(offset - text.length).toString(radix).padStart(7)} `;
            out.add(`${options.has('name') ? `${name}: ` : ''}${where}${text}\n`);
          }
          text = '';
        };
        for await (const piece of pieces(file, call.signal)) {
          for (const byte of piece) {
            if (isPrintable(byte)) text += String.fromCharCode(byte);
            else end();
            offset += 1;
          }
          if (out.isFull) await out.flush();
        }
        end();
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});
