// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { describe, expect, test } from 'vitest';
import { shownBy } from '../fixtures/scripted-scope.ts';

/** A script, and what bash 5.2 shows of it. */
type WordCase = readonly [script: string, words: readonly string[]];

const defaultValues: readonly WordCase[] = [
  [
    'p ${u-a b} "${u-a b}" ${u:-"a b"c d} "${u:-\'q\'}" "${u:-"q"}" ${u-\'q\'}',
    ['a', 'b', 'a b', 'a bc', 'd', "'q'", 'q', 'q'],
  ],
  ['x=; p "${x-d}" "${x:-d}" "${x+s}" "${x:+s}" ${x:+s}', ['', 'd', 's', '']],
  ['x=v; p ${x:+"a b" c} "${x:+"a b" c}" ${u+s}', ['a b', 'c', 'a b c']],
  ['p ${x=a b} "$x" ${y:="c   d"} "$y"', ['a', 'b', 'a b', 'c', 'd', 'c   d']],
  ['a=(\'\'); p "${a[@]:-e}" "${a[@]+s}" "${a[@]:+s}"', ['e', 's', '']],
  ['p ${a[2]:=z} "${!a[@]}"', ['z', '2']],
  ['p "${u:-}}" "${u:-\\}}" "${u-\'}\'}" ${u:-"}"}', ['}', '}', "'}'", '}']],
];

const substringsAndLengths: readonly WordCase[] = [
  [
    'x=abcdef; p ${x:2} ${x:2:2} ${x: -2} ${x:0:-2} ${x:(-3):2} "${x:10}" "${x: -10}" ${#x} ${x:x?1:2}',
    ['cdef', 'cd', 'ef', 'abcd', 'de', '', '', '6', 'cdef'],
  ],
  [
    'a=(1 2 3 [7]=4 5); p ${a[@]:3} / ${a[@]: -2} / ${a[@]:1:2} / "${a[*]:1:2}"',
    ['4', '5', '/', '4', '5', '/', '2', '3', '/', '2 3'],
  ],
  [
    'set -- a b c; p ${@:2} / ${@: -1} / ${@:1:1} / "${*:2}" ${#} ${#@}',
    ['b', 'c', '/', 'c', '/', 'a', '/', 'b c', '3', '3'],
  ],
  ['x=héé😀; p ${#x} ${x:1:2} ${x: -1} "${x//?/.}"', ['4', 'éé', '😀', '....']],
];

const patternsInParameters: readonly WordCase[] = [
  [
    'x=/usr/lib.tar.gz; p ${x#*/} ${x##*/} ${x%.*} ${x%%.*} ${x%/*} ${x#nope} "${x#*"/"}" ${x#"*"}',
    [
      'usr/lib.tar.gz',
      'lib.tar.gz',
      '/usr/lib.tar',
      '/usr/lib',
      '/usr',
      '/usr/lib.tar.gz',
      'usr/lib.tar.gz',
      '/usr/lib.tar.gz',
    ],
  ],
  [
    'x=/usr/lib.gz; p ${x/l/L} ${x//[aeiou]} ${x/#\\/usr/X} ${x/%gz/X} ${x//\\//:} ${x////:} ${x//}',
    ['/usr/Lib.gz', '/sr/lb.gz', 'X/lib.gz', '/usr/lib.X', ':usr:lib.gz', ':usr:lib.gz', '/usr/lib.gz'],
  ],
  [
    'x=aXbX; y=\'&\'; p ${x//X/[&]} ${x/X/\\&} "${x//X/"&"}" ${x//X/$y} ${x//X/"$y"} ${x/#/^} ${x/%/$}',
    ['a[X]b[X]', 'a&bX', 'a&b&', 'aXbX', 'a&b&', '^aXbX', 'aXbX$'],
  ],
  ['shopt -u patsub_replacement; x=aXb; p ${x/X/[&]}', ['a[&]b']],
  ['x=; p "${x/*/W}" "${x//*/W}" "${x/a/W}"', ['W', 'W', '']],
  [
    'shopt -s extglob\nx=aabbcc; p ${x##+(a)} ${x%%+(c)} ${x//+(b)/X} ${x/@(bb|cc)/Y} ${x//!(b)/Z} ${x/?(z)/W}',
    ['bbcc', 'aabb', 'aaXcc', 'aaYcc', 'Z', 'Waabbcc'],
  ],
  [
    'x=hello; y=HELLO; p ${x^} ${x^^} ${x^^[el]} ${y,} ${y,,} ${y,,[EL]} ${x^x}',
    ['Hello', 'HELLO', 'hELLo', 'hELLO', 'hello', 'HellO', 'hello'],
  ],
  ['x=\'a*b\'; p "${x/\\*/X}" "${x/"*"/X}" "${x/*/X}" "${x%\\**}"', ['aXb', 'aXb', 'X', 'a']],
];

const transformations: readonly WordCase[] = [
  [
    'x=\'a b\'; y=$\'a\\nb\'; e=\'a\\tb\\x41\'; p "${x@Q}" "${y@Q}" "${e@E}" ${x@U} "${x@u}" "${x@A}" "${u@Q}"',
    ["'a b'", "$'a\\nb'", 'a\tbA', 'A', 'B', 'A b', "x='a b'", ''],
  ],
  [
    'z=(1 \'b c\'); p "${z[@]@Q}" "${z[@]@A}" "${z@A}" "${z[@]@K}" "${z[@]@k}" ${z@a}',
    [
      "'1'",
      "'b c'",
      'declare',
      '-a',
      'z=([0]="1" [1]="b c")',
      "declare -a z='1'",
      '0 "1" 1 "b c"',
      '0',
      '1',
      '1',
      'b c',
      'a',
    ],
  ],
  [
    'declare -A m=([a]=1 [\'b c\']=2); p "${m[@]@K}" "${m[@]@A}"',
    ['"b c" "2" a "1" ', 'declare', '-A', 'm=(["b c"]="2" [a]="1" )'],
  ],
  ['declare -ri n=3; p "${n@A}" ${n@a}', ["declare -ir n='3'", 'ir']],
];

const indirection: readonly WordCase[] = [
  ['x=foo; y=x; p ${!y} ${!y:0:2} ${!y/o/0} ${!y@Q}', ['foo', 'fo', 'f0o', "'foo'"]],
  ["a=(1 2); z='a[1]'; w='a[@]'; p ${!z} \"${!w}\"", ['2', '1', '2']],
  ['xa=1; xb=2; IFS=:; p ${!x*} "${!x@}" "${!x*}"', ['xa', 'xb', 'xa', 'xb', 'xa:xb']],
  ['set -- p q; n=2; p ${!n} ${!#}', ['q', 'q']],
];

describe('Values in the place of those that are unset', () => {
  test.each(defaultValues)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

describe('Substrings and lengths', () => {
  test.each(substringsAndLengths)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

describe('Patterns that are removed and replaced', () => {
  test.each(patternsInParameters)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

describe('Transformations', () => {
  test.each(transformations)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

describe('Indirection', () => {
  test.each(indirection)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

test('A pattern that is replaced in a long text takes as long as the text is', async () => {
  const script =
    'x=aaaaaaaaaa; x=$x$x$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x$x$x; p ${#x} ${x//a*b/} "${x//a*a/-}" "${x%%*b}"';
  const [length, unchanged, replaced] = await shownBy(script);
  expect([length, unchanged?.length, replaced]).toEqual(['10000', 10000, '-']);
});
