import type { ProgramCall, Programs } from '../../shell/programs/program.ts';
import { encodeText, type ShellText } from '../../shell/text.ts';

/** What `spec/bin` of the suite has for Python 2, as programs of the shell. `programs/` has the same for real bash. */
export const helperPrograms: Programs = new Map([
  ['argv.py', async (call) => await print(call, `[${call.args.map(pythonRepr).join(', ')}]\n`)],
  ['printenv.py', async (call) => await print(call, call.args.map((name) => lineOf(call, name)).join(''))],
  ['stdout_stderr.py', printBoth],
  ['python2', runPython],
]);

export const helperNames: readonly string[] = ['argv.py', 'printenv.py', 'stdout_stderr.py', 'python2'];

const printLiteral = /^print ?\(?(["'])((?:\\.|(?!\1)[^\\])*)\1\)?$/s;
const printRepr = 'import sys; print repr(sys.argv[1])';

/** Whether `python2` here is enough for a program. */
export function isKnownPython(source: string): boolean {
  return source.trim() === printRepr || printLiteral.test(source.trim());
}

async function print({ stdout, signal }: ProgramCall, text: ShellText | Uint8Array): Promise<number> {
  await stdout.write(typeof text === 'string' ? encodeText(text) : text, signal);
  return 0;
}

function lineOf({ environment }: ProgramCall, name: ShellText): ShellText {
  return `${environment.get(name) ?? 'None'}\n`;
}

/** Python buffers stdout: what goes to stderr comes first. */
async function printBoth(call: ProgramCall): Promise<number> {
  const [out = 'STDOUT', error = 'STDERR', status = '0'] = call.args;
  await call.stderr.write(encodeText(`${error}\n`), call.signal);
  await print(call, `${out}\n`);
  return Number(status);
}

async function runPython(call: ProgramCall): Promise<number> {
  const [option, program = '', argument = ''] = call.args;
  const source = program.trim();
  const literal = printLiteral.exec(source)?.[2];
  if (option === '-c' && source === printRepr) return await print(call, `${pythonRepr(argument)}\n`);
  if (option === '-c' && literal !== undefined)
    return await print(call, Buffer.from(`${readEscapes(literal)}\n`, 'latin1'));
  await call.stderr.write(encodeText('python2: not a program that is known\n'), call.signal);
  return 1;
}

const letterEscapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f' };

/** The bytes of a Python 2 string of ASCII, one a character. */
function readEscapes(literal: string): string {
  return literal.replace(
    /\\(?:x([0-9a-fA-F]{2})|(.))/gs,
    (whole, hex: string | undefined, letter: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return letterEscapes[letter] ?? ('\\"\'$'.includes(letter) ? letter : whole);
    },
  );
}

/** A string of bytes as Python's `repr` has it. */
function pythonRepr(text: ShellText): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = [...encodeText(text)].map((byte) => {
    const character = String.fromCharCode(byte);
    const letter = { '\n': 'n', '\t': 't', '\r': 'r', '\\': '\\', [quote]: quote }[character];
    if (letter !== undefined) return `\\${letter}`;
    return byte < 0x20 || byte > 0x7e ? `\\x${byte.toString(16).padStart(2, '0')}` : character;
  });
  return `${quote}${escaped.join('')}${quote}`;
}
