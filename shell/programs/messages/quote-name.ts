import type { ShellText } from '../../text.ts';

const special = /[\s!"$&'()*;<=>?[\\^`|]|^[#~]|^[{}]$|^$/;
const unprintable = /[\p{Cc}\udc80-\udcff]/u;

/** A name in quotes, as GNU's messages have it (gnulib's quotearg, shell-escape-always). */
export function quoteName(name: ShellText): ShellText {
  if (unprintable.test(name)) return quoteUnprintable(name);
  if (!name.includes("'")) return `'${name}'`;
  return /["\\$`!]/.test(name) ? `'${name.replaceAll("'", "'\\''")}'` : `"${name}"`;
}

/** A name that stands before a colon: in quotes only where a shell would need them. */
export function nameInMessage(name: ShellText): ShellText {
  return special.test(name) || name.includes(':') || unprintable.test(name) ? quoteName(name) : name;
}

/** A name as `ls` and `stat` show it where it must be one word of the shell. */
export function quoteIfNeeded(name: ShellText): ShellText {
  return special.test(name) || unprintable.test(name) ? quoteName(name) : name;
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function quoteUnprintable(name: ShellText): ShellText {
  const pieces = name.split(/([\p{Cc}\udc80-\udcff]+)/u);
  const quoted = pieces.map((piece, index) => {
    if (index % 2 === 0) return piece === '' && index > 0 ? '' : `'${piece.replaceAll("'", "'\\''")}'`;
    const escaped = [...piece].map((character) => escapes[character] ?? octal(character)).join('');
    return `$'${escaped}'`;
  });
  return quoted.join('');
}

function octal(character: string): string {
  return `\\${(character.charCodeAt(0) & 0xff).toString(8).padStart(3, '0')}`;
}
