// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { describe, expect, test } from 'vitest';
import { shownBy } from '../fixtures/scripted-scope.ts';

/** A script, and what bash 5.2 shows of it. */
type WordCase = readonly [script: string, words: readonly string[]];

const conditions: readonly WordCase[] = [
  ['[[ abc == a* ]]; p $?', ['0']],
  ['[[ abc == "a*" ]]; p $?', ['1']],
  ["x='a*'; [[ abc == $x ]]; p $?", ['0']],
  ['x=\'a*\'; [[ abc == "$x" ]]; p $?', ['1']],
  ["[[ foobar == foo@(bar|baz) && ab == a!(c) && '' == *(a) ]]; p $?", ['0']],
  ['[[ a < b && 10 -gt 9 && 2+1 -eq 3 && 0x10 -eq 16 ]]; p $?', ['0']],
  ['[[ -z $u || x ]]; p $?', ['0']],
  ['[[ ! ( a == b ) && -n x ]]; p $?', ['0']],
  ['shopt -s nocasematch; [[ ABC == abc && ABC =~ b ]]; p $?', ['0']],
  ['[[ -f a.txt && -d d && ! -e nope && -r a.txt && ! -x a.txt && -x d && ! -s a.txt ]]; p $?', ['0']],
  ['[[ a.txt -ef ./a.txt && a.txt -nt nope && nope -ot a.txt ]]; p $?', ['0']],
  ['a=(1); [[ -v HOME && ! -v nope && -v a[0] && ! -v a[1] && -v a[@] ]]; p $?', ['0']],
  ['declare -A m=([k]=v); [[ -v m[k] && ! -v m[x] ]]; p $?', ['0']],
  ['[[ -o braceexpand && ! -o noglob ]]; p $?', ['0']],
  ['x=a; case abc in $x*) p 1;; esac', ['1']],
  ['x=\'a*\'; case abc in "$x") p 1;; $x) p 2;; esac', ['2']],
  ["case ']' in []]) p 1;; esac", ['1']],
];

describe('Conditions of [[ and case', () => {
  test.each(conditions)('%s', async (script, words) => {
    expect(await shownBy(script)).toEqual(words);
  });
});
