import { quote } from '../expand/expand.ts';
import type { Builtin } from '../interpret/builtin.ts';
import { readUntil } from '../interpret/read-line.ts';
import { runSource } from '../interpret/run-source.ts';
import type { OpenFile } from '../io/open-file.ts';
import { shellLimits } from '../limits.ts';
import { ShellError, ShellLimitError } from '../shell-error.ts';
import { decodeText, encodeText } from '../text.ts';
import { readOptions } from './option-letters.ts';

const usage =
  'mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]';

/** `mapfile [options] [array]` and `readarray`: lines of the input become elements. */
export const mapfile: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'd:n:O:s:tu:C:c:', usage });
  if (!options) return 2;
  const { on, values, operands } = options;
  const [name = 'MAPFILE'] = operands;
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    await shell.tell(`${call.name}: \`${name}': not a valid identifier`);
    return 1;
  }
  for (const letter of ['n', 'O', 's', 'u', 'c']) {
    const value = values.get(letter);
    if (value === undefined || /^\s*\+?\d+\s*$/.test(value)) continue;
    const what = {
      n: 'invalid line count',
      O: 'invalid array origin',
      s: 'invalid line count',
      u: 'invalid file descriptor specification',
      c: 'invalid callback quantum',
    };
    await shell.tell(`${call.name}: ${value}: ${what[letter as keyof typeof what]}`);
    return 1;
  }
  const number = (letter: string, other: number) => Number(values.get(letter) ?? other);
  const input = shell.descriptors.get(number('u', 0));
  if (!input) {
    await shell.tell(`${call.name}: ${number('u', 0)}: invalid file descriptor: Bad file descriptor`);
    return 1;
  }
  const { variables } = shell;
  if (variables.variable(name)?.value?.type === 'associative') {
    await shell.tell(`${call.name}: ${name}: not an indexed array`);
    return 1;
  }
  const origin = number('O', 0);
  if (!values.has('O')) variables.setArray(name, { type: 'indexed', elements: new Map() });
  else variables.declare(name, { type: 'indexed' });
  const given = values.get('d');
  const delimiter = given === undefined ? 10 : (encodeText(given)[0] ?? 0);
  const delimiterText = given === undefined ? '\n' : (given[0] ?? '');
  const maxLines = number('n', 0) || Number.POSITIVE_INFINITY;
  const callback = values.get('C');
  const quantum = number('c', 5000) || 5000;
  let skip = number('s', 0);
  for (let lines = 0; lines < maxLines; ) {
    const pause = shell.step();
    if (pause) await pause;
    const { bytes, isComplete } = await readElement(input, delimiter, shell.inputSignal);
    if (bytes.length === 0 && !isComplete) break;
    if (skip > 0) {
      skip -= 1;
      continue;
    }
    if (lines > shellLimits.arrayElements)
      throw new ShellLimitError('arrayElements', `${name}: too many lines`);
    const text = decodeText(bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes);
    const line = isComplete && !on.has('t') ? text + delimiterText : text;
    lines += 1;
    const index = origin + lines - 1;
    if (callback !== undefined && lines % quantum === 0) {
      await runSource(shell, `${callback} ${index} ${quote(line, 'at-q')}`);
    }
    variables.setElement(name, index, line);
    if (!isComplete) break;
  }
  return 0;
};

/** What cannot be read ends the input, as in bash. */
async function readElement(
  input: OpenFile,
  delimiter: number,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; isComplete: boolean }> {
  try {
    return await readUntil(input, { delimiter, signal, into: [] });
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    return { bytes: new Uint8Array(0), isComplete: false };
  }
}
