import { assignByName } from '../expand/expand.ts';
import type { Builtin } from '../interpret/builtin.ts';
import { checkReadBytes, join, readUntil } from '../interpret/read-line.ts';
import type { Shell } from '../interpret/shell.ts';
import type { OpenFile } from '../io/open-file.ts';
import { ShellError } from '../shell-error.ts';
import { AssignmentError } from '../state/variables.ts';
import { decodeText, encodeText, type ShellText } from '../text.ts';
import { type OptionLetters, readOptions } from './option-letters.ts';
import { splitFields } from './split-fields.ts';

const usage =
  'read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]';

/** 128 and SIGALRM's number: the time was over. */
const timedOut = 142;

interface Reading {
  readonly input: OpenFile;
  /** A byte; `undefined` where none ends the input. */
  readonly delimiter: number | undefined;
  /** So many characters at most. */
  readonly characters: number | undefined;
  readonly isRaw: boolean;
  readonly signal: AbortSignal;
}

interface ReadText {
  /** With the backslashes still in it, unless it was read raw. */
  readonly text: ShellText;
  readonly status: 0 | 1 | 142;
}

/** `read [options] [names]` */
export const read: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'ersa:d:i:n:N:p:t:u:', usage });
  if (!options) return 2;
  const { on, values, operands } = options;
  const invalid = operands.find((name) => !/^[A-Za-z_]\w*(\[.*\])?$/s.test(name));
  if (invalid !== undefined) {
    await shell.tell(`read: \`${invalid}': not a valid identifier`);
    return 1;
  }
  const reading = await readingOf(shell, options);
  if (typeof reading === 'number') return reading;
  using _echo = on.has('s') ? withoutEcho(reading.input) : undefined;
  const prompt = values.get('p');
  if (prompt !== undefined && reading.input.isTerminal) await shell.writeStderr(encodeText(prompt));
  let result: ReadText;
  try {
    result = await readText(shell, reading, values.get('t'));
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    await shell.tell(`read: read error: ${values.get('u') ?? 0}: ${error.message}`);
    return 1;
  }
  await store(shell, result.text, { options, isRaw: on.has('r') });
  return result.status;
};

/** A terminal does not show what is typed until this is disposed. */
function withoutEcho({ terminal }: OpenFile): Disposable | undefined {
  if (!terminal) return undefined;
  const before = terminal.echo;
  terminal.echo = false;
  return {
    [Symbol.dispose]: () => {
      terminal.echo = before;
    },
  };
}

/** Checks the options. A number is a status: nothing is read. */
async function readingOf(shell: Shell, { on, values }: OptionLetters): Promise<Reading | number> {
  const fd = Number(values.get('u') ?? 0);
  const input = shell.descriptors.get(fd);
  if (!Number.isInteger(fd) || fd < 0 || (!input && values.has('u'))) {
    await shell.tell(`read: ${values.get('u')}: invalid file descriptor: Bad file descriptor`);
    return 1;
  }
  const count = values.get('N') ?? values.get('n');
  if (count !== undefined && !/^\d+$/.test(count)) {
    await shell.tell(`read: ${count}: invalid number`);
    return 1;
  }
  const timeout = values.get('t');
  if (timeout !== undefined && !/^(\d+(\.\d*)?|\.\d+)$/.test(timeout)) {
    await shell.tell(`read: ${timeout}: invalid timeout specification`);
    return 1;
  }
  if (!input) {
    await shell.tell('read: read error: 0: Bad file descriptor');
    return 1;
  }
  const delimiter = values.get('d');
  return {
    input,
    delimiter: values.has('N') ? undefined : delimiter === undefined ? 10 : (encodeText(delimiter)[0] ?? 0),
    characters: count === undefined ? undefined : Number(count),
    isRaw: on.has('r'),
    signal: shell.inputSignal,
  };
}

async function readText(shell: Shell, reading: Reading, timeout: ShellText | undefined): Promise<ReadText> {
  if (timeout === undefined) return await readAll(shell, reading, []);
  const seconds = Number(timeout);
  const chunks: Uint8Array[] = [];
  if (seconds === 0) return { text: '', status: (await hasInput(reading)) ? 0 : 1 };
  const timer = new AbortController();
  const handle = setTimeout(() => timer.abort('timeout'), seconds * 1000);
  try {
    return await readAll(
      shell,
      { ...reading, signal: AbortSignal.any([reading.signal, timer.signal]) },
      chunks,
    );
  } catch (error) {
    if (!timer.signal.aborted || reading.signal.aborted) throw error;
    return { text: decodeText(join(chunks)), status: timedOut };
  } finally {
    clearTimeout(handle);
  }
}

/** What is read from without waiting, be it for nothing. */
const alwaysReady: ReadonlySet<OpenFile['type']> = new Set(['file', 'directory', 'null']);

/** Whether a read would answer at once: input or the end. */
async function hasInput({ input, signal }: Reading): Promise<boolean> {
  if (alwaysReady.has(input.type)) return true;
  const gone = new AbortController();
  const handle = setTimeout(() => gone.abort('none'));
  try {
    input.unread(await input.read(1, AbortSignal.any([signal, gone.signal])));
    return true;
  } catch (error) {
    if (gone.signal.aborted && !signal.aborted) return false;
    throw error;
  } finally {
    clearTimeout(handle);
  }
}

async function readAll(shell: Shell, reading: Reading, chunks: Uint8Array[]): Promise<ReadText> {
  if (reading.characters !== undefined) return await readCharacters(reading, reading.characters, chunks);
  const { input, signal, delimiter = 10, isRaw } = reading;
  const lines: ShellText[] = [];
  let lengthBytes = 0;
  for (;;) {
    const { bytes, isComplete } = await readUntil(input, { delimiter, signal, into: chunks });
    chunks.length = 0;
    lengthBytes += bytes.length + 1;
    checkReadBytes(lengthBytes);
    const line = decodeText(bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes);
    if (isRaw || !isComplete || !endsEscaped(line)) {
      const text = lines.join('') + line;
      const isJoined = isRaw || delimiter === 10;
      return { text: isJoined ? text : joinLines(text), status: isComplete ? 0 : 1 };
    }
    // A backslash before a newline joins the next line; before another delimiter it quotes that.
    lines.push(delimiter === 10 ? line.slice(0, -1) : line + String.fromCharCode(delimiter));
    const pause = shell.step();
    if (pause) await pause;
  }
}

function joinLines(text: ShellText): ShellText {
  return text.replace(/\\(.)/gs, (pair, next) => (next === '\n' ? '' : pair));
}

function endsEscaped(text: ShellText): boolean {
  let end = text.length;
  while (text[end - 1] === '\\') end -= 1;
  return (text.length - end) % 2 === 1;
}

const maxChunkBytes = 8192;

/** So many characters, each of one to four bytes. A backslash, where it counts, is none. */
async function readCharacters(
  { input, delimiter, isRaw, signal }: Reading,
  count: number,
  chunks: Uint8Array[],
): Promise<ReadText> {
  const taking = new CharacterTaking({ count, delimiter, isRaw });
  let lengthBytes = 0;
  for (;;) {
    if (taking.missing <= 0) return { text: decodeText(join(chunks)), status: 0 };
    // No more than must follow in any case: each character has a byte at least.
    const bytes = await input.read(Math.min(taking.missing, maxChunkBytes), signal);
    if (bytes.length === 0) return { text: decodeText(join(chunks)), status: 1 };
    const { kept, end } = taking.take(bytes);
    if (kept.length > 0) chunks.push(kept);
    lengthBytes += kept.length;
    checkReadBytes(lengthBytes);
    if (end === undefined) continue;
    if (end < bytes.length) input.unread(bytes.subarray(end));
    return { text: decodeText(join(chunks)), status: 0 };
  }
}

/** Counts the characters of bytes that come one after another. */
class CharacterTaking {
  /** Characters that are to come. */
  missing: number;
  readonly #delimiter: number | undefined;
  readonly #isRaw: boolean;
  /** Bytes that are to come of a character that has begun. */
  #continuation = 0;
  /** A backslash has come, which counts with what follows. */
  #isEscaped = false;

  constructor({ count, delimiter, isRaw }: { count: number; delimiter: number | undefined; isRaw: boolean }) {
    this.missing = count;
    this.#delimiter = delimiter;
    this.#isRaw = isRaw;
  }

  /** What of it counts, and where it ends after a delimiter. */
  take(bytes: Uint8Array): { kept: Uint8Array; end: number | undefined } {
    // A backslash that came before may be kept with the first of these.
    const kept = new Uint8Array(bytes.length + 1);
    let length = 0;
    for (const [at, byte] of bytes.entries()) {
      if (this.#continuation > 0) {
        kept[length++] = byte;
        this.#continuation -= 1;
        if (this.#continuation === 0) this.missing -= 1;
        continue;
      }
      if (byte === this.#delimiter && !this.#isEscaped)
        return { kept: kept.subarray(0, length), end: at + 1 };
      if (byte === 0) continue;
      if (byte === 0x5c && !this.#isRaw && !this.#isEscaped) {
        this.#isEscaped = true;
        continue;
      }
      const isJoined = this.#isEscaped && byte === 10;
      if (this.#isEscaped && !isJoined) kept[length++] = 0x5c;
      this.#isEscaped = false;
      // A backslash and a newline are nothing.
      if (isJoined) continue;
      kept[length++] = byte;
      this.#continuation = continuationBytes(byte);
      if (this.#continuation === 0) this.missing -= 1;
    }
    return { kept: kept.subarray(0, length), end: undefined };
  }
}

function continuationBytes(byte: number): number {
  if (byte >= 0xf0) return 3;
  if (byte >= 0xe0) return 2;
  return byte >= 0xc0 ? 1 : 0;
}

async function store(
  shell: Shell,
  text: ShellText,
  { options, isRaw }: { options: OptionLetters; isRaw: boolean },
): Promise<void> {
  const { values, operands } = options;
  const separators = shell.variables.get('IFS') ?? ' \t\n';
  const array = values.get('a');
  if (array !== undefined) {
    const fields = splitFields(text, { separators, isRaw });
    const elements = new Map(fields.map((field, index) => [index, field]));
    if (shell.variables.variable(array)?.value?.type === 'associative') {
      throw new AssignmentError(`${array}: cannot convert associative to indexed array`);
    }
    shell.variables.setArray(array, { type: 'indexed', elements });
    return;
  }
  const unescaped = isRaw ? text : text.replace(/\\(.?)/gs, '$1');
  if (values.has('N') || operands.length === 0) {
    const [name = 'REPLY', ...rest] = operands;
    await assignByName(name, unescaped, shell.scope);
    for (const other of rest) await assignByName(other, '', shell.scope);
    return;
  }
  const fields = splitFields(text, { separators, isRaw, maxFields: operands.length });
  for (const [index, name] of operands.entries()) {
    await assignByName(name, fields[index] ?? '', shell.scope);
    shell.assigned(name);
  }
}
