import { joinBytes } from '../../../tree/join-bytes.ts';
import { isFile } from '../../../tree/live/file-mode.ts';
import { shellLimits } from '../../limits.ts';
import { ShellError, ShellLimitError } from '../../shell-error.ts';
import { decodeText, type ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { ProgramError } from '../messages/program-error.ts';
import { pathOf } from '../paths/operands.ts';
import { baseName, directoryName, joinPath } from '../paths/path-names.ts';
import type { Program } from '../program.ts';
import { readInput } from '../streams/input.ts';
import { Output } from '../streams/output.ts';
import { Steps } from '../streams/steps.ts';
import { parseSed, UnknownLabel } from './parse-sed.ts';
import { SedRunner } from './run-sed.ts';
import type { ScriptPiece } from './script-reader.ts';
import { SedFiles } from './sed-files.ts';
import { SedInput } from './sed-input.ts';
import type { SedCommand } from './sed-script.ts';

const options = {
  quiet: '-n, --quiet, --silent  suppress automatic printing of pattern space',
  debug: '--debug  (ignored)',
  expression: '-e, --expression=script  add the script to the commands to be executed',
  file: '-f, --file=script-file  add the contents of script-file to the commands to be executed',
  followLinks: '--follow-symlinks  follow symlinks when processing in place',
  inPlace: '-i[SUFFIX], --in-place[=SUFFIX]  edit files in place (makes backup if SUFFIX supplied)',
  lineLength: "-l, --line-length=N  specify the desired line-wrap length for the `l' command",
  posix: '--posix  disable all GNU extensions (ignored)',
  extended: '-E, -r, --regexp-extended  use extended regular expressions in the script',
  separate: '-s, --separate  consider files as separate rather than as a single, continuous long stream',
  sandbox: '--sandbox  operate in sandbox mode (disable e/r/w commands)',
  unbuffered: '-u, --unbuffered  load minimal amounts of data and flush the output buffers more often',
  zero: '-z, --null-data  separate lines by NUL characters',
};

type Key = keyof typeof options;

export const sed: Program = defineProgram({
  usage: '[OPTION]... {script-only-if-no-other-script} [input-file]...',
  summary: 'Stream editor for filtering and transforming text.',
  options,
  async run(invocation) {
    const { call, options: given, out, warn } = invocation;
    const { pieces, names } = await scriptOf(invocation);
    const commands = parse(pieces, invocation);
    const isInPlace = given.has('inPlace');
    const files = new SedFiles(call, out);
    const isQuiet = given.has('quiet') || /^#n(\n|$)/.test(pieces[0]?.text ?? '');
    const delimiter = given.has('zero') ? '\0' : '\n';
    const shared = {
      commands,
      files,
      steps: new Steps(call.signal),
      isQuiet,
      isUnbuffered: given.has('unbuffered'),
      delimiter,
      lineLength: Number(given.value('lineLength') ?? 70),
    } as const;
    try {
      for (const { file, substitution, name } of commands) {
        const written = name === 'w' || name === 'W' ? file : substitution?.file;
        if (written !== undefined) files.prepare(written);
      }
      const inputs = names.length > 0 ? names : ['-'];
      if (!isInPlace && !given.has('separate')) {
        const input = new SedInput(invocation, { names: inputs, delimiter });
        const runner = new SedRunner({ ...shared, input, out });
        await finished(runner, input);
        return runner.exitCode || (input.hasFailed ? 2 : 0);
      }
      let status = 0;
      for (const name of inputs) {
        const refusal = isInPlace ? await refusalOf(name) : 0;
        if (refusal !== 0) {
          status = refusal;
          continue;
        }
        const input = new SedInput(invocation, { names: [name], delimiter });
        const edited = new EditedText();
        const target = isInPlace ? new Output(edited, call.signal) : out;
        for (const { range } of commands) range.isActive = false;
        const runner = new SedRunner({ ...shared, input, out: target });
        await finished(runner, input);
        await target.flush();
        if (isInPlace && !input.hasFailed) replaceFile(invocation, { name, bytes: edited.bytes() });
        if (input.hasFailed) status = 2;
        // The files after the one in which the script quit stay as they are.
        if (runner.exitCode !== undefined) return runner.exitCode || status;
      }
      return status;
    } finally {
      files.close();
    }

    /** The exit code for a file that cannot be edited. */
    async function refusalOf(name: ShellText): Promise<number> {
      try {
        const { mode } = call.files.stat(pathOf(call, name));
        if (isFile(mode)) return 0;
        await warn(`couldn't edit ${name}: not a regular file`);
        return 4;
      } catch (error) {
        if (!(error instanceof ShellError)) throw error;
        await warn(`can't read ${name}: ${error.message}`);
        return 2;
      }
    }
  },
});

async function finished(runner: SedRunner, input: SedInput): Promise<void> {
  try {
    await runner.run();
  } finally {
    input.close();
  }
}

function parse(
  pieces: readonly ScriptPiece[],
  { options: given }: Pick<Invocation<Key>, 'options'>,
): SedCommand[] {
  try {
    return parseSed(pieces, { isExtended: given.has('extended'), isSandboxed: given.has('sandbox') });
  } catch (error) {
    if (error instanceof UnknownLabel) throw new ProgramError(error.message, { status: 4 });
    throw error;
  }
}

async function scriptOf({
  call,
  options: given,
  operands,
}: Invocation<Key>): Promise<{ pieces: readonly ScriptPiece[]; names: readonly ShellText[] }> {
  const pieces: ScriptPiece[] = [];
  let expressions = 0;
  for (const { key, value = '' } of given.given) {
    if (key === 'expression') {
      expressions += 1;
      pieces.push({ text: value, origin: `-e expression #${expressions}`, isFile: false });
    }
    if (key === 'file') pieces.push({ text: await scriptFile(value), origin: value, isFile: true });
  }
  if (pieces.length > 0) return { pieces, names: operands };
  const [first, ...names] = operands;
  if (first === undefined) {
    throw new ProgramError('no script specified', { isUsage: true });
  }
  return { pieces: [{ text: first, origin: '-e expression #1', isFile: false }], names };

  async function scriptFile(name: ShellText): Promise<ShellText> {
    try {
      return decodeText(await readInput(call, name)).replace(/\n$/, '');
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      throw new ProgramError(`couldn't open file ${name}: ${error.message}`);
    }
  }
}

/** As GNU's sed does it: a new file in the place of the old one, which may be kept under another name. */
function replaceFile(
  { call, options: given }: Invocation<Key>,
  { name, bytes }: { name: ShellText; bytes: Uint8Array },
): void {
  const { files } = call;
  const named = pathOf(call, name);
  const path = given.has('followLinks') ? files.realpath(named) : named;
  const { mode, uid, gid } = files.stat(path);
  const suffix = given.value('inPlace') ?? '';
  const temporary = joinPath(directoryName(path), `sed${crypto.randomUUID().slice(0, 6)}`);
  files.writeFile(temporary, bytes, call);
  files.chown(temporary, { uid, gid });
  files.chmod(temporary, mode & 0o7777);
  if (suffix !== '') {
    const base = baseName(path);
    const backup = suffix.includes('*') ? suffix.replaceAll('*', base) : `${base}${suffix}`;
    files.rename(path, backup.includes('/') ? pathOf(call, backup) : joinPath(directoryName(path), backup));
  }
  files.rename(temporary, path);
}

/** Takes what a script prints of a file that is edited. */
class EditedText {
  readonly type = 'stream';
  #pieces: Uint8Array[] = [];
  #size = 0;

  async read(): Promise<Uint8Array> {
    return new Uint8Array(0);
  }

  unread(): void {}

  async write(bytes: Uint8Array): Promise<void> {
    this.#size += bytes.length;
    if (this.#size > shellLimits.captureBytes) {
      throw new ShellLimitError(
        'captureBytes',
        `an edited file has more than ${shellLimits.captureBytes} bytes`,
      );
    }
    this.#pieces.push(bytes);
  }

  bytes(): Uint8Array {
    return joinBytes(this.#pieces, this.#size);
  }

  retain(): void {}

  release(): void {}
}
