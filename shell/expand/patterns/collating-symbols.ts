/** Names of characters that POSIX has: what `[.name.]` in a bracket expression stands for. */
export const collatingSymbols: ReadonlyMap<string, string> = new Map([
  ...named(
    0x00,
    'NUL SOH STX ETX EOT ENQ ACK alert backspace tab newline vertical-tab form-feed carriage-return SO SI',
  ),
  ...named(0x10, 'DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC IS4 IS3 IS2 IS1 space exclamation-mark'),
  ...named(0x22, 'quotation-mark number-sign dollar-sign percent-sign ampersand apostrophe left-parenthesis'),
  ...named(
    0x29,
    'right-parenthesis asterisk plus-sign comma hyphen period slash zero one two three four five six',
  ),
  ...named(
    0x37,
    'seven eight nine colon semicolon less-than-sign equals-sign greater-than-sign question-mark',
  ),
  ...named(0x40, 'commercial-at'),
  ...named(0x5b, 'left-square-bracket backslash right-square-bracket circumflex underscore grave-accent'),
  ...named(0x7b, 'left-brace vertical-line right-brace tilde DEL'),
  ...named(0x08, 'BS HT LF VT FF CR'),
  ...named(0x1c, 'FS GS RS US'),
  ...['hyphen-minus', 'minus', 'dash'].map((name) => [name, '-'] as const),
  ['full-stop', '.'],
  ['solidus', '/'],
  ['reverse-solidus', '\\'],
  ['circumflex-accent', '^'],
  ['left-curly-bracket', '{'],
  ['right-curly-bracket', '}'],
]);

/** Characters from `first` on, by their names. */
function named(first: number, names: string): (readonly [string, string])[] {
  return names.split(' ').map((name, index) => [name, String.fromCharCode(first + index)] as const);
}
