/** Text of a stream that is no terminal's, as a terminal shows it: lines end with CR LF. */
export class LineEnds {
  #last = '\n';

  /** Whether what was shown ends a line. */
  get isAtLineBegin(): boolean {
    return this.#last === '\n';
  }

  show(text: string): string {
    if (text === '') return '';
    const begins = this.#last === '\r' && text.startsWith('\n');
    this.#last = text.at(-1) ?? this.#last;
    const shown = text.replaceAll(/(?<!\r)\n/g, '\r\n');
    return begins ? shown.slice(1) : shown;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced.
const controls = /[\x00-\x08\x0b-\x1f\x7f]/g;

/** What a person sees of a command at a prompt: `$ make test`, and `> ` before its further lines. Controls in it are shown as `^[`. */
export function promptLine(text: string, { isRoot }: { readonly isRoot: boolean }): string {
  const shown = text
    .replaceAll('\r\n', '\n')
    .replaceAll(controls, (control) => `^${String.fromCharCode(control.charCodeAt(0) ^ 0x40)}`)
    .replaceAll('\n', '\r\n> ');
  return `\x1b[0;1m${isRoot ? '#' : '$'}\x1b[0m ${shown}\r\n`;
}
