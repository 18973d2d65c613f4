/** A setting of a file (git-config, "CONFIGURATION FILE"), and the characters that it takes there. */
export interface FileSetting {
  /** `section.key` or `section.Sub Section.key`: the middle is as it stands, the rest in lower case. */
  readonly key: string;
  /** `undefined` of a key without `=`, which counts as true. */
  readonly value: string | undefined;
  readonly start: number;
  readonly end: number;
}

interface Section {
  /** `section` or `section.Sub Section`. */
  readonly name: string;
  readonly start: number;
  /** Where the line of its name ends. */
  readonly end: number;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' };

/** Settings as a text, read as git reads them and changed line by line: what else stands there stays as it is. */
export class SettingsFile {
  readonly #text: string;
  readonly #sections: Section[] = [];
  readonly settings: readonly FileSetting[];
  #at = 0;

  /** @throws SyntaxError with the number of the line */
  constructor(text: string) {
    this.#text = text;
    this.settings = this.#read();
  }

  valuesOf(key: string): readonly (string | undefined)[] {
    return this.settings.flatMap((each) => (each.key === key ? [each.value] : []));
  }

  /** The text, with one more setting after those of its section; the key is written as it is given. */
  withAdded(given: string, value: string): string {
    const section = given.slice(0, given.lastIndexOf('.'));
    const key = settingKey(given) ?? given;
    const line = `\t${nameOf(given)} = ${quoted(value)}\n`;
    const last = this.#sections.findLast((each) => `${each.name}.` === key.slice(0, section.length + 1));
    if (!last) {
      const text = this.#text;
      return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${headerOf(section)}${line}`;
    }
    const next = this.#sections[this.#sections.indexOf(last) + 1];
    const within = this.settings.filter(
      ({ start }) => start >= last.end && (next === undefined || start < next.end),
    );
    const at = within.at(-1)?.end ?? last.end;
    const before = this.#text.slice(0, at);
    return `${before}${before.endsWith('\n') ? '' : '\n'}${line}${this.#text.slice(at)}`;
  }

  /** The text, without some of its settings; the first of them becomes `value` where there is one. */
  withReplaced(gone: readonly FileSetting[], replacement?: { key: string; value: string }): string {
    let text = '';
    let at = 0;
    for (const [index, { start, end }] of gone.entries()) {
      text += this.#text.slice(at, start);
      if (text !== '' && !text.endsWith('\n')) text += '\n';
      if (index === 0 && replacement) text += `\t${nameOf(replacement.key)} = ${quoted(replacement.value)}\n`;
      at = end;
    }
    const rest = this.#text.slice(at);
    if (replacement) return text + rest;
    return withoutEmptySections(text + rest, gone);
  }

  /** The text, without a section and its settings; `undefined` where it has none of that name. */
  withoutSection(name: string): string | undefined {
    const wanted = name.replace(/^[^.]*/, (part) => part.toLowerCase());
    let [text, at, isFound] = ['', 0, false];
    for (const [index, section] of this.#sections.entries()) {
      if (section.name !== wanted) continue;
      isFound = true;
      text += this.#text.slice(at, section.start);
      at = this.#sections[index + 1]?.start ?? this.#text.length;
    }
    return isFound ? text + this.#text.slice(at) : undefined;
  }

  #read(): FileSetting[] {
    const found: FileSetting[] = [];
    let section = '';
    const text = this.#text;
    if (text.startsWith('\ufeff')) this.#at = 1;
    while (this.#at < text.length) {
      const unit = text.charAt(this.#at);
      if (/\s/.test(unit)) this.#at += 1;
      else if (unit === '#' || unit === ';') this.#at = this.#lineEnd();
      else if (unit === '[') section = this.#header();
      else if (/[A-Za-z]/.test(unit) && section !== '') found.push(this.#setting(section));
      else throw this.#problem();
    }
    return found;
  }

  #header(): string {
    const line = this.#text.slice(this.#at, this.#lineEnd());
    const [whole, name = '', sub] =
      /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]/.exec(line) ?? [];
    if (whole === undefined) throw this.#problem();
    const start = this.#at;
    this.#at += whole.length;
    const section =
      sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub.replaceAll(/\\(.)/g, '$1')}`;
    // What follows on the same line belongs to the section.
    const [blanks = ''] = /^[ \t]*\r?\n/.exec(this.#text.slice(this.#at, this.#lineEnd() + 1)) ?? [];
    this.#at += blanks.length;
    this.#sections.push({ name: section, start, end: this.#at });
    return section;
  }

  #setting(section: string): FileSetting {
    const lineStart = this.#text.lastIndexOf('\n', this.#at - 1) + 1;
    const start = Math.max(lineStart, this.#sections.at(-1)?.end ?? 0);
    const [name = ''] = /^[A-Za-z][A-Za-z0-9-]*/.exec(this.#text.slice(this.#at, this.#at + 1_024)) ?? [];
    this.#at += name.length;
    while (/[ \t]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    const unit = this.#text.charAt(this.#at);
    let value: string | undefined;
    if (unit === '=') {
      this.#at += 1;
      value = this.#value();
    } else if (unit === '#' || unit === ';') this.#at = this.#lineEnd();
    else if (unit !== '' && unit !== '\n' && unit !== '\r') throw this.#problem();
    this.#at = Math.min(this.#lineEnd() + 1, this.#text.length);
    return { key: `${section}.${name.toLowerCase()}`, value, start, end: this.#at };
  }

  /** To the end of its line, or of those that a backslash joins to it; without blanks at its ends and comments. */
  #value(): string {
    let value = '';
    /** Blanks that count only if something comes after them. */
    let blanks = '';
    let isQuoted = false;
    while (/[ \t]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    for (; this.#at < this.#text.length; this.#at++) {
      const unit = this.#text.charAt(this.#at);
      if (unit === '\n') {
        if (isQuoted) throw this.#problem();
        break;
      }
      if (unit === '\r' && this.#text[this.#at + 1] === '\n') continue;
      if (!isQuoted && /\s/.test(unit)) blanks += unit;
      else if (!isQuoted && (unit === '#' || unit === ';')) {
        this.#at = this.#lineEnd();
        break;
      } else {
        value += blanks;
        blanks = '';
        if (unit === '"') isQuoted = !isQuoted;
        else if (unit === '\\') value += this.#escape();
        else value += unit;
      }
    }
    return value;
  }

  #escape(): string {
    this.#at += 1;
    if (this.#text.startsWith('\r\n', this.#at)) this.#at += 1;
    const unit = this.#text.charAt(this.#at);
    if (unit === '\n') return '';
    const escaped = escapes[unit];
    if (escaped === undefined) throw this.#problem();
    return escaped;
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end < 0 ? this.#text.length : end;
  }

  #problem(): SyntaxError {
    return new SyntaxError(`bad config line ${this.#text.slice(0, this.#at).split('\n').length}`);
  }
}

/** As git takes a key: section and name without case. `undefined` of what is none. */
export function settingKey(key: string): string | undefined {
  const [, section = '', sub, name = ''] =
    /^([A-Za-z0-9-]+)(?:\.([^\n]*))?\.([A-Za-z][A-Za-z0-9-]*)$/.exec(key) ?? [];
  if (section === '') return undefined;
  return `${section.toLowerCase()}.${sub === undefined ? '' : `${sub}.`}${name.toLowerCase()}`;
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

function headerOf(section: string): string {
  const [, name = section, sub] = /^([^.]*)\.([\s\S]*)$/.exec(section) ?? [];
  return sub === undefined ? `[${name}]\n` : `[${name} "${sub.replaceAll(/["\\]/g, '\\$&')}"]\n`;
}

function quoted(value: string): string {
  const text = value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return /^ | $|[;#\r]/.test(value) ? `"${text}"` : text;
}

/** A section that is left without settings or comments goes with the last of them. */
function withoutEmptySections(text: string, gone: readonly FileSetting[]): string {
  let left = text;
  for (const section of new Set(gone.map(({ key }) => key.slice(0, key.lastIndexOf('.'))))) {
    const header = headerOf(section).trimEnd();
    const at = left.split('\n').findIndex((line) => line.trim().toLowerCase() === header.toLowerCase());
    const lines = left.split('\n');
    if (at < 0) continue;
    const next = lines.slice(at + 1).findIndex((line) => line.trim() !== '');
    const isEmpty = next < 0 || lines[at + 1 + next]?.trim().startsWith('[');
    if (!isEmpty) continue;
    lines.splice(at, next < 0 ? lines.length - at : 1 + next);
    left = lines.join('\n');
    if (next < 0 && left !== '' && !left.endsWith('\n')) left += '\n';
  }
  return left;
}
