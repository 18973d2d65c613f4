import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { withInput } from '../command-line/with-input.ts';
import { UsageError } from '../messages/program-error.ts';
import { nameInMessage, quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { checkLineCount } from '../streams/held-lines.ts';
import { openOutput } from '../streams/input.ts';
import { Output } from '../streams/output.ts';
import { textLines } from '../streams/text-lines.ts';

type Grouping = 'none' | 'prepend' | 'append' | 'separate' | 'both';

export const uniq: Program = defineProgram({
  usage: '[OPTION]... [INPUT [OUTPUT]]',
  summary: 'Filter adjacent matching lines from INPUT, writing to OUTPUT.',
  options: {
    count: '-c, --count  prefix lines by the number of occurrences',
    repeated: '-d, --repeated  only print duplicate lines, one for each group',
    allRepeated: '-D  print all duplicate lines',
    allRepeatedBy:
      '--all-repeated[=METHOD]  like -D, but allow separating groups with an empty line: none, prepend, separate',
    skipFields: '-f, --skip-fields=N  avoid comparing the first N fields',
    group:
      '--group[=METHOD]  show all items, separating groups with an empty line: separate, prepend, append, both',
    ignoreCase: '-i, --ignore-case  ignore differences in case when comparing',
    skipCharacters: '-s, --skip-chars=N  avoid comparing the first N characters',
    unique: '-u, --unique  only print unique lines',
    zero: '-z, --zero-terminated  line delimiter is NUL, not newline',
    check: '-w, --check-chars=N  compare no more than N characters in lines',
  },
  async run(invocation) {
    const { call, options, operands } = invocation;
    const [name = '-', output, excess] = operands;
    if (excess !== undefined) throw new UsageError(`extra operand ${quoteName(excess)}`);
    const delimiter = options.has('zero') ? '\0' : '\n';
    const fields = countOf(options.value('skipFields') ?? '0', 'invalid number of fields to skip');
    const characters = countOf(options.value('skipCharacters') ?? '0', 'invalid number of bytes to skip');
    const most = options.has('check')
      ? countOf(options.value('check') ?? '', 'invalid number of bytes to compare')
      : undefined;
    const keyOf = (line: ShellText) => {
      let key = line;
      for (let field = 0; field < fields; field++) key = key.replace(/^[ \t]*[^ \t]*/, '');
      key = key.slice(characters, most === undefined ? undefined : characters + most);
      return options.has('ignoreCase') ? key.toLowerCase() : key;
    };
    const showsAll = options.has('allRepeated', 'allRepeatedBy');
    const method = (
      options.has('group')
        ? (options.value('group') ?? 'separate')
        : (options.value('allRepeatedBy') ?? 'none')
    ) as Grouping;
    if (options.has('group') && options.has('count', 'repeated', 'allRepeated', 'unique')) {
      throw new UsageError('--group is mutually exclusive with -c/-d/-D/-u');
    }
    if (showsAll && options.has('count'))
      throw new UsageError('printing all duplicated lines and repeat counts is meaningless');
    const file = output === undefined || output === '-' ? undefined : openOutput(call, output);
    const out = file ? new Output(file, call.signal) : invocation.out;
    let group: ShellText[] = [];
    let count = 0;
    let key = '';
    let isFirst = true;
    const end = () => {
      if (count === 0) return;
      const isRepeated = count > 1;
      if (options.has('group') || (showsAll && isRepeated)) {
        if (method === 'prepend' || method === 'both' || (method === 'separate' && !isFirst)) {
          if (method !== 'both' || isFirst) out.add(delimiter);
        }
        for (const line of group) out.add(line + delimiter);
        if (method === 'append' || method === 'both') out.add(delimiter);
        isFirst = false;
        return;
      }
      if (showsAll) return;
      if (options.has('repeated') && !isRepeated) return;
      if (options.has('unique') && isRepeated) return;
      const prefix = options.has('count') ? `${String(count).padStart(7)} ` : '';
      out.add(`${prefix}${group[0] ?? ''}${delimiter}`);
    };
    const keepsAll = options.has('group') || showsAll;
    try {
      const isDone = await withInput(
        invocation,
        { name, opening: nameInMessage(name), reading: `error reading ${quoteName(name)}` },
        async (input) => {
          for await (const { lines } of textLines(input, call.signal, delimiter)) {
            for (const line of lines) {
              const next = keyOf(line);
              if (count > 0 && next === key) {
                count += 1;
                if (keepsAll) group.push(line);
                checkLineCount(group.length);
                continue;
              }
              end();
              [group, count, key] = [[line], 1, next];
            }
            if (out.isFull) await out.flush();
          }
          end();
          await out.flush();
        },
      );
      return isDone ? 0 : 1;
    } finally {
      file?.release();
    }
  },
});
