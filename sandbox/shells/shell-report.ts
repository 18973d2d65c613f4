import { SandboxError } from '../../protocol/errors.ts';
import { GrowingBytes } from '../../protocol/growing-bytes.ts';
import { limits } from '../../protocol/limits.ts';
import { type ByteString, readByteString } from '../../tree/content/byte-string.ts';

/** How many texts a report has, each with a NUL at its end (`reportLine` of shell-script.ts). */
const reportTexts = 12;

/** What a bash says of itself after a run. Data of the sandbox (H-9). */
export interface ShellReport {
  /** Of the run. */
  readonly number: number;
  readonly status: number;
  readonly cwd: ByteString;
  /** What `trap -p`, `jobs -p`, `shopt -p`, `umask -p`, `declare -Fx` and `set +o` print. */
  readonly traps: ByteString;
  readonly jobs: ByteString;
  readonly options: ByteString;
  readonly umask: ByteString;
  readonly exported: ByteString;
  readonly settings: ByteString;
  /** What `declare -p`, `alias -p` and `declare -f` print, if it is not too long. */
  readonly variables: ByteString | undefined;
  readonly aliases: ByteString | undefined;
  readonly functions: ByteString | undefined;
}

/** Reads the reports of one bash from its status descriptor. */
export class ShellReports {
  #texts: (ByteString | undefined)[] = [];
  /** Of the text that has not ended yet, unless it is too long. */
  #text = new GrowingBytes();
  #textBytes = 0;
  /** Of the whole report. */
  #bytes = 0;

  /** Takes bytes, and answers the reports that end with them. @throws machine-failed for what is no report */
  push(bytes: Uint8Array): ShellReport[] {
    const reports: ShellReport[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(0, at);
      this.#add(bytes.subarray(at, end < 0 ? bytes.length : end));
      if (end < 0) break;
      at = end + 1;
      this.#texts.push(this.#endText());
      if (this.#texts.length === reportTexts) reports.push(this.#endReport());
    }
    return reports;
  }

  #add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    this.#textBytes += piece.length;
    if (this.#bytes > limits.shellReportBytes) throw malformed('it is too long');
    if (this.#textBytes > limits.shellStateBytes) this.#text = new GrowingBytes();
    else this.#text.add(piece);
  }

  /** `undefined` where the text is too long. */
  #endText(): ByteString | undefined {
    const { view } = this.#text;
    const isWhole = this.#textBytes <= limits.shellStateBytes;
    this.#text = new GrowingBytes();
    this.#textBytes = 0;
    return isWhole ? readByteString(view, 0, view.length) : undefined;
  }

  #endReport(): ShellReport {
    const [
      number,
      status,
      cwd,
      traps,
      jobs,
      options,
      variables,
      aliases,
      umask,
      functions,
      exported,
      settings,
    ] = this.#texts;
    this.#texts = [];
    this.#bytes = 0;
    return {
      number: parseNumber(number),
      status: parseNumber(status) & 0xff,
      cwd: parseDirectory(cwd),
      // That there are some is all that counts.
      traps: traps ?? 'many',
      jobs: jobs ?? 'many',
      options: options ?? '',
      umask: umask ?? '',
      exported: exported ?? '',
      settings: settings ?? '',
      ...{ variables, aliases, functions },
    };
  }
}

function parseNumber(text: ByteString | undefined): number {
  if (text === undefined || !/^\d{1,9}$/.test(text)) throw malformed('it does not begin with a number');
  return Number(text);
}

/** Bash need not know where it is, or may be told to forget it. */
function parseDirectory(text: ByteString | undefined): ByteString {
  return text?.startsWith('/') && text.length <= limits.nativePathBytes ? text : '.';
}

function malformed(why: string): SandboxError {
  return new SandboxError('machine-failed', `Cannot read what a shell reports of its state: ${why}`);
}
