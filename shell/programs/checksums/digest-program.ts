import { ShellError } from '../../shell-error.ts';
import { decodeText, type ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { nameInMessage } from '../messages/quote-name.ts';
import type { Program, ProgramCall } from '../program.ts';
import { openInput, pieces, readInput } from '../streams/input.ts';
import { type DigestKind, type DigestName, digests, hexOf } from './digests.ts';

const options = {
  binary: '-b, --binary  read in binary mode',
  check: '-c, --check  read checksums from the FILEs and check them',
  tag: '--tag  create a BSD-style checksum',
  text: '-t, --text  read in text mode (default)',
  zero: '-z, --zero  end each output line with NUL, not newline, and disable file name escaping',
  ignoreMissing: "--ignore-missing  don't fail or report status for missing files",
  quiet: "--quiet  don't print OK for each successfully verified file",
  status: "--status  don't output anything, status code shows success",
  strict: '--strict  exit non-zero for improperly formatted checksum lines',
  warn: '-w, --warn  warn about improperly formatted checksum lines',
};

type Key = keyof typeof options;

/** `md5sum`, `sha256sum` and their like. */
export function digestProgram(name: DigestName): Program {
  const kind: DigestKind = digests[name];
  return defineProgram({
    usage: '[OPTION]... [FILE]...',
    summary: `Print or check ${kind.label} checksums. With no FILE, or when FILE is -, read standard input.`,
    options,
    async run(invocation) {
      const { options: given, operands } = invocation;
      const names = operands.length > 0 ? operands : ['-'];
      let status = 0;
      for (const file of names) {
        const isDone = given.has('check')
          ? await check(invocation, kind, file)
          : await withInput(invocation, { name: file }, async () => print(invocation, kind, file));
        if (!isDone) status = 1;
      }
      return status;
    },
  });
}

async function digestOf(call: ProgramCall, kind: DigestKind, name: ShellText): Promise<string> {
  const file = openInput(call, name);
  try {
    const digest = kind.create();
    for await (const piece of pieces(file, call.signal)) digest.update(piece);
    return hexOf(digest.digest());
  } finally {
    file.release();
  }
}

async function print(
  { call, options: given, out }: Invocation<Key>,
  kind: DigestKind,
  name: ShellText,
): Promise<void> {
  const hex = await digestOf(call, kind, name);
  const isEscaped = !given.has('zero') && /[\n\r\\]/.test(name);
  const shown = isEscaped
    ? name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    : name;
  const end = given.has('zero') ? '\0' : '\n';
  const mark = isEscaped ? '\\' : '';
  if (given.has('tag')) out.add(`${mark}${kind.label} (${shown}) = ${hex}${end}`);
  else out.add(`${mark}${hex} ${given.last('binary', 'text') === 'binary' ? '*' : ' '}${shown}${end}`);
  if (out.isFull) await out.flush();
}

/** Checks what a file of checksums lists. */
async function check(invocation: Invocation<Key>, kind: DigestKind, list: ShellText): Promise<boolean> {
  const { call, options: given, out, warn } = invocation;
  const shownList = list === '-' ? "'standard input'" : nameInMessage(list);
  const counts = { malformed: 0, unreadable: 0, different: 0, matched: 0, listed: 0 };
  const isRead = await withInput(invocation, { name: list }, async () => {
    const lines = decodeText(await readInput(call, list)).split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const [index, line] of lines.entries()) {
      const entry = parseLine(line.replace(/\r$/, ''), kind);
      if (entry === undefined) {
        counts.malformed += 1;
        if (given.has('warn'))
          await warn(`${shownList}: ${index + 1}: improperly formatted ${kind.label} checksum line`);
        continue;
      }
      counts.listed += 1;
      await checkEntry(entry);
    }
  });
  if (!isRead) return false;
  if (counts.listed === 0) {
    await warn(`${shownList}: no properly formatted checksum lines found`);
    return false;
  }
  if (!given.has('status')) {
    const told = async (count: number, one: string, many: string) => {
      if (count > 0) await warn(`WARNING: ${count} ${count === 1 ? one : many}`);
    };
    await told(counts.malformed, 'line is improperly formatted', 'lines are improperly formatted');
    await told(counts.unreadable, 'listed file could not be read', 'listed files could not be read');
    await told(counts.different, 'computed checksum did NOT match', 'computed checksums did NOT match');
    if (given.has('ignoreMissing') && counts.matched === 0) await warn(`${shownList}: no file was verified`);
  }
  const isMalformed = given.has('strict') && counts.malformed > 0;
  return counts.matched > 0 && counts.unreadable + counts.different === 0 && !isMalformed;

  async function checkEntry({ hex, name }: { hex: string; name: ShellText }): Promise<void> {
    let actual: string;
    try {
      actual = await digestOf(call, kind, name);
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      if (given.has('ignoreMissing') && error.code === 'ENOENT') return;
      await warn(`${nameInMessage(name)}: ${error.message}`);
      counts.unreadable += 1;
      if (!given.has('status')) out.add(`${name}: FAILED open or read\n`);
      return;
    }
    const isSame = actual === hex.toLowerCase();
    counts[isSame ? 'matched' : 'different'] += 1;
    if (!given.has('status') && !(isSame && given.has('quiet')))
      out.add(`${name}: ${isSame ? 'OK' : 'FAILED'}\n`);
  }
}

function parseLine(
  line: ShellText,
  { bytes, label }: DigestKind,
): { hex: string; name: ShellText } | undefined {
  const isEscaped = line.startsWith('\\');
  const body = isEscaped ? line.slice(1) : line;
  const digits = `[0-9a-fA-F]{${bytes * 2}}`;
  const tagged = new RegExp(`^${label} \\(([\\s\\S]*)\\) = (${digits})$`).exec(body);
  const plain = new RegExp(`^\\s*(${digits})(?: [ *]|  ?)([\\s\\S]+)$`).exec(body);
  const [hex, name] = tagged ? [tagged[2], tagged[1]] : [plain?.[1], plain?.[2]];
  if (hex === undefined || name === undefined || name === '') return undefined;
  const unescaped = name.replaceAll(/\\([\\nr])/g, (_, letter: string) =>
    letter === 'n' ? '\n' : letter === 'r' ? '\r' : '\\',
  );
  return { hex, name: isEscaped ? unescaped : name };
}
