// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { describe, expect, test } from 'vitest';
import { quote } from './quote.ts';

/** Text, and how `${x@Q}`, `printf %q` and `declare -p` of bash 5.2 show it. */
const cases: readonly (readonly [text: string, atQ: string, printfQ: string, declared: string])[] = [
  ['a b', "'a b'", 'a\\ b', '"a b"'],
  ['', "''", "''", '""'],
  ['~x', "'~x'", '\\~x', '"~x"'],
  ['a~', "'a~'", 'a~', '"a~"'],
  ['#a', "'#a'", '\\#a', '"#a"'],
  ['a#', "'a#'", 'a#', '"a#"'],
  ['a,b', "'a,b'", 'a\\,b', '"a,b"'],
  ['a=b', "'a=b'", 'a=b', '"a=b"'],
  ['a:b', "'a:b'", 'a:b', '"a:b"'],
  ['é', "'é'", 'é', '"é"'],
  ['a\nb', "$'a\\nb'", "$'a\\nb'", "$'a\\nb'"],
  ['a!b', "'a!b'", 'a\\!b', '"a!b"'],
  ['a{b', "'a{b'", 'a\\{b', '"a{b"'],
  ['a^b', "'a^b'", 'a\\^b', '"a^b"'],
  ["it's", "'it'\\''s'", "it\\'s", '"it\'s"'],
  ['\x01\x7f\x1b', "$'\\001\\177\\E'", "$'\\001\\177\\E'", "$'\\001\\177\\E'"],
  ['*', "'*'", '\\*', '"*"'],
  ['[x]', "'[x]'", '\\[x\\]', '"[x]"'],
  ['a;b|c&d<e>f(g', "'a;b|c&d<e>f(g'", 'a\\;b\\|c\\&d\\<e\\>f\\(g', '"a;b|c&d<e>f(g"'],
  ['$x`"\\', "'$x`\"\\'", '\\$x\\`\\"\\\\', '"\\$x\\`\\"\\\\"'],
  ['a?', "'a?'", 'a\\?', '"a?"'],
  ['😀', "'😀'", '😀', '"😀"'],
  ['a@b%c+d/e-f_g.h', "'a@b%c+d/e-f_g.h'", 'a@b%c+d/e-f_g.h', '"a@b%c+d/e-f_g.h"'],
];

describe('Text is quoted as bash quotes it', () => {
  test.each(cases)('%j', (text, atQ, printfQ, declared) => {
    expect([quote(text, 'at-q'), quote(text, 'printf-q'), quote(text, 'declare')]).toEqual([
      atQ,
      printfQ,
      declared,
    ]);
  });

  test('A byte that is no UTF-8 is shown by its number', () => {
    expect(quote('a\udc80', 'printf-q')).toBe("$'a\\200'");
  });
});
