// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { expect, test } from 'vitest';
import { parse } from '../parse.ts';
import { print } from './print.ts';

const source = `f() { echo a "c d" $x "$(echo hi; echo ho)" \`echo q\`; x=1 y=$z cmd >out 2>&1 <in; if a; then b; elif c; then d; else e; fi; while x; do y; done
for i in a "c"; do echo $i; done; for i; do echo; done; for ((i=0;i<3;i++)); do echo; done; case $x in a|b) echo 1;; (c) echo 2;& d*) ;; esac; ( sub; shell ); { group; }; [[ -f x && ( a == b* || ! c =~ d ) ]]; (( x + 1 )); a && b || c; ! d; a | b |& c; bg & time foo; a=(1 2 [3]=x); local -a q=(z); cat <<E1 <<'E2'
body $x
E1
other
E2
g() { inner; }; function h { echo; } >file; echo {a,b} ~/x $((1+2)) \${x//a/b} <(ls); select s in 1 2; do echo; done; foo <<<"here"; exec {fd}>&1 3<&- >|x &>y; }`;

/** What `declare -f` of bash 5.2 prints. */
const printed = `f () 
{ 
    echo a "c d" $x "$(echo hi; echo ho)" \`echo q\`;
    x=1 y=$z cmd > out 2>&1 < in;
    if a; then
        b;
    else
        if c; then
            d;
        else
            e;
        fi;
    fi;
    while x; do
        y;
    done;
    for i in a "c";
    do
        echo $i;
    done;
    for i in "$@";
    do
        echo;
    done;
    for ((i=0; i<3; i++))
    do
        echo;
    done;
    case $x in 
        a | b)
            echo 1
        ;;
        c)
            echo 2
        ;&
        d*)

        ;;
    esac;
    ( sub;
    shell );
    { 
        group
    };
    [[ -f x && ( a == b* || ! c =~ d ) ]];
    (( x + 1 ));
    a && b || c;
    ! d;
    a | b 2>&1 | c;
    bg & time foo;
    a=(1 2 [3]=x);
    local -a q=(z);
    cat <<E1 <<'E2'
body $x
E1
other
E2

    function g () 
    { 
        inner
    };
    function h () 
    { 
        echo
    } > file;
    echo {a,b} ~/x $((1+2)) \${x//a/b} <(ls);
    select s in 1 2;
    do
        echo;
    done;
    foo <<< "here";
    exec {fd}>&1 3>&- >| x &> y
}`;

test('A function is printed as declare -f prints it, and that parses to the same', () => {
  expect(print(parse(source))).toBe(printed);
  expect(print(parse(printed))).toBe(printed);
});

test.each([
  ['a; b', 'a; b'],
  ['for i in 1 2; do echo $i; done', 'for i in 1 2;\ndo\n    echo $i;\ndone'],
  ['{ a; b; }', '{ a; b; }'],
  ['( a; b ) | c &', '( a; b ) | c &'],
  ['f() (a) >x', 'f () \n{ \n    ( a ) > x\n}'],
])('%j is printed outside functions', (script, text) => {
  expect(print(parse(script))).toBe(text);
});
