// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { describe, expect, test } from 'vitest';
import { shownBy } from '../fixtures/scripted-scope.ts';

/** A script, and what bash 5.2 shows of it. */
type WordCase = readonly [script: string, words: readonly string[]];

const arithmetic: readonly WordCase[] = [
  [
    'p $((1+2*3)) $((-7/2)) $((-7%3)) $((2**3**2)) $((-2**2)) $((1<<4)) $((0x1f)) $((010)) $((2#101)) $((16#fF)) $((64#_)) $((5>3?1:2)) $((1,2)) $((!5)) $((~0)) $(((1+2)*3))',
    ['7', '-3', '-1', '512', '4', '16', '31', '8', '5', '255', '63', '1', '2', '0', '-1', '9'],
  ],
  [
    'x=5; p $((x++)) $((++x)) $((x--)) $((--x)) $((x+=3)) $((x<<=1)) $((y=3,y+1)) $x $y',
    ['5', '7', '7', '5', '8', '16', '4', '16', '3'],
  ],
  [
    "a=(1 2 3); i=1; e='i+1'; p $((a[i])) $((a[i+1]*2)) $((a[$i]++)) $((e*2)) $(($e*2)) $((a[e])) ${a[@]} ${a[e]} ${a[i++]} $i",
    ['2', '6', '2', '4', '3', '3', '1', '3', '3', '3', '3', '2'],
  ],
  [
    'declare -A m=([a b]=3); k=\'a b\'; p $((m[a b]+1)) $((m["a b"])) $((m[$k]++)) $((m["$k"])) ${m[$k]}',
    ['4', '3', '3', '4', '4'],
  ],
  [
    'p $((9223372036854775807+1)) $((1<<64)) $((2**64)) $((-9223372036854775808/-1)) $((9223372036854775808))',
    ['-9223372036854775808', '1', '0', '-9223372036854775808', '-9223372036854775808'],
  ],
  ['p $((1||x++)) $((0&&1/0)) $((1?2:1/0)) $x', ['1', '0', '2']],
  ["x='a[$(echo 1)]'; a=(4 5); p $((x)) ${a[x]}", ['5']],
  ['p $(( $(echo 3) + `echo 4` )) $(( "1" + 2 )) $[1+2] $(( ${u:-4} * 2 ))', ['7', '3', '3', '8']],
];

describe('Arithmetic', () => {
  test.each(arithmetic)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});

test('What an expression evaluates in the values of variables is bounded, however deep it is', async () => {
  const doubling = Array.from({ length: 40 }, (_, index) => `x${index}=x${index + 1}+x${index + 1}`).join(
    '; ',
  );
  await expect(shownBy(`${doubling}; p $((x0))`)).rejects.toMatchObject({ limit: 'arithmeticWork' });
  expect(await shownBy(`${doubling}; x40=1; p $((x32)) $((x32))`)).toEqual(['256', '256']);
});
