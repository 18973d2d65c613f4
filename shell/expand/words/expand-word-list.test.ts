// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { describe, expect, test } from 'vitest';
import { shownBy } from '../fixtures/scripted-scope.ts';

/** A script, and what bash 5.2 shows of it. */
type WordCase = readonly [script: string, words: readonly string[]];

const wordSplitting: readonly WordCase[] = [
  ['x=\' a  b \'; p $x "$x" c$x"d"', ['a', 'b', ' a  b ', 'c', 'a', 'b', 'd']],
  ['x=; p $x $u "" "$u" $u""', ['', '', '']],
  ["IFS=:; x='a::b:'; p $x", ['a', '', 'b']],
  ["IFS=' :'; x=' : a : b: : c'; p $x", ['', 'a', 'b', '', 'c']],
  ['IFS=x; x=xax; p $x$x "$x"$x axb', ['', 'a', '', 'a', 'xax', 'a', 'axb']],
  ["IFS=; x='a b'; p $x", ['a b']],
  ['IFS=1; p $((212))', ['2', '2']],
  ["IFS=$'\\n'; x=$'a b\\n\\nc\\n'; p $x", ['a b', 'c']],
  ['x=\' a \'; p ""$x"" b$x $x"b"', ['', 'a', '', 'b', 'a', 'a', 'b']],
  ['IFS=-; p $(echo a-b)', ['a', 'b']],
];

const quotes: readonly WordCase[] = [
  [
    'p a"b c"\'d $x\'\\ e $\'\\t\\x41\\101\\u00e9\\cA\' "a\\$b\\"c\\\\d\\e\\`" $"hi" \'a\\b\' "a\nb"',
    ['ab cd $x e', '\tAAé\x01', 'a$b"c\\d\\e`', 'hi', 'a\\b', 'a\nb'],
  ],
  ['x=1; p "$x"y "${x}y" "$xy" \\$x \'$x\'', ['1y', '1y', '', '$x', '$x']],
  ['p $(echo a b) "$(echo a b)" `echo \\$x` "`echo \\"q\\"`" "$(echo \')\')"', ['a', 'b', 'a b', 'q', ')']],
  ["x='*.txt'; p \"$x\" $x '*'.txt \\*.txt", ['*.txt', 'a.txt', 'b.txt', '*.txt', '*.txt']],
  ['p "a\\\nb" a\\\nb', ['ab', 'ab']],
];

const braces: readonly WordCase[] = [
  [
    'p {a,b}{1,2} {1..3} {3..1} {1..10..3} {01..10..4} {a..e..2} {a,b,{c,d}} x{,y}z {a} {a,b {} a{b,c}d {1..x} "{a,b}" {a\\,b,c} {-2..2}',
    [
      'a1',
      'a2',
      'b1',
      'b2',
      '1',
      '2',
      '3',
      '3',
      '2',
      '1',
      '1',
      '4',
      '7',
      '10',
      '01',
      '05',
      '09',
      'a',
      'c',
      'e',
      'a',
      'b',
      'c',
      'd',
      'xz',
      'xyz',
      '{a}',
      '{a,b',
      '{}',
      'abd',
      'acd',
      '{1..x}',
      '{a,b}',
      'a,b',
      'c',
      '-2',
      '-1',
      '0',
      '1',
      '2',
    ],
  ],
  [
    'x=1; a_c=q; p ${x}{a,b} {$x,b} {$a,b}_c {1,2}$(echo q) {~,x} {x,*}.txt',
    ['1a', '1b', '1', 'b', 'q', 'b_c', '1q', '2q', '/root', 'x', 'x.txt', 'a.txt', 'b.txt'],
  ],
  ['set +B; p {a,b} {1..2}', ['{a,b}', '{1..2}']],
  ['x={a,b}; p $x', ['{a,b}']],
];

const tildes: readonly WordCase[] = [
  [
    'HOME=/h; p ~ ~/x a~ "~" \\~ x=~ y=~/b:~ ~nobody-here',
    ['/h', '/h/x', 'a~', '~', '~', 'x=/h', 'y=/h/b:/h', '~nobody-here'],
  ],
  ['HOME=/h; a=~:~/x; b=x:~; c="~"; p $a $b $c ${u:-~} "${u:-~}"', ['/h:/h/x', 'x:/h', '~', '/h', '~']],
];

describe('Words are divided as IFS says', () => {
  test.each(wordSplitting)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

describe('Quotes and backslashes', () => {
  test.each(quotes)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

describe('Braces', () => {
  test.each(braces)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

describe('Tildes', () => {
  test.each(tildes)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

test('Braces that make many words let others have the thread', async () => {
  let others = 0;
  const timer = setInterval(() => {
    others += 1;
  });
  expect(await shownBy('p {1..40}{1..40}{1..40}')).toHaveLength(64_000);
  clearInterval(timer);
  expect(others).toBeGreaterThan(1);
});
