import type { ShellText } from '../../text.ts';

/** Text as a pattern that matches just it. */
export function escapePattern(text: ShellText): ShellText {
  return text.replace(/[*?[\]\\()|!+@^:=.-]/g, '\\$&');
}

/** A pattern without the backslashes that quote in it. */
export function unescapePattern(pattern: ShellText): ShellText {
  return pattern.replace(/\\([\s\S])/g, '$1');
}
