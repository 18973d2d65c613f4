// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { describe, expect, test } from 'vitest';
import { shownBy } from '../fixtures/scripted-scope.ts';

/** A script, and what bash 5.2 shows of it. */
type WordCase = readonly [script: string, words: readonly string[]];

const positionalParametersAndArrays: readonly WordCase[] = [
  ['set -- 1 \'2 3\' \'\'; p "$@" x"$@"y', ['1', '2 3', '', 'x1', '2 3', 'y']],
  ["set -- 1 '2 3' ''; p $@ \"$*\"", ['1', '2', '3', '1 2 3 ']],
  ['set --; x=; p "$@"', []],
  ['set --; x=; p "$x$@" "$@""" ""$@ "a$@" "${@-}" "${@+$@}" "$*"', ['', '', 'a', '', '']],
  ['IFS=:; set -- a "" b; p $@ "$*" "$@"', ['a', '', 'b', 'a::b', 'a', '', 'b']],
  ['IFS=; set -- a \'\' b; p $* "$*"', ['a', 'b', 'ab']],
  ['IFS=:; set -- a b; x=$*; y=$@; p "$x" "$y"', ['a:b', 'a b']],
  [
    'a=(1 \'2 3\' [5]=x); p "${a[@]}" ${#a[@]} ${!a[@]} ${a[-1]} "${a[*]}" $a ${a[9]}',
    ['1', '2 3', 'x', '3', '0', '1', '5', 'x', '1 2 3 x', '1'],
  ],
  ['a=(1 2); a+=(3 4); a[0]+=x; p "${a[@]}"', ['1x', '2', '3', '4']],
  ['a=(x y); b=("${a[@]}" z); p "${b[@]}" "${b[@]/#/-}"', ['x', 'y', 'z', '-x', '-y', '-z']],
  ['i=5; a=([i+1]=x y); p ${!a[@]}', ['6', '7']],
  ['a=([0]=1 [a[0]]=10); p ${!a[@]}', ['0', '1']],
  [
    'declare -A m=([a]=1 [\'b c\']=2 [k]+=x); k=\'b c\'; p "${m[$k]}" "${m[b c]}" ${#m[@]} "${m[@]}" "${!m[@]}"',
    ['2', '2', '3', '2', 'x', '1', 'b c', 'k', 'a'],
  ],
  ['declare -A m; m=(k1 v1 \'k 2\' \'v 2\'); p "${!m[@]}" "${m[@]}"', ['k1', 'k 2', 'v1', 'v 2']],
  ["declare -A m; m[a b]=1; m['x]y']=2; p \"${!m[@]}\" ${m['x]y']}", ['a b', 'x]y', '2']],
  [
    'declare -n r=a; a=(1 2); r+=(3); r[0]=z; p "${a[@]}" "${r[@]}" ${!r}',
    ['z', '2', '3', 'z', '2', '3', 'a'],
  ],
  ["declare -n r='m[k]'; declare -A m=([k]=v); r=w; p $r ${m[k]}", ['w', 'w']],
  ['declare -i n=2+3; n+=4; p $n', ['9']],
  ['declare -u x=abc; declare -l y=ABC; p $x $y', ['ABC', 'abc']],
];

describe('Arrays, associative arrays and references', () => {
  test.each(positionalParametersAndArrays)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});
