import type { RecordedScript } from './recorded-script.ts';

export const commandsAndWords: readonly RecordedScript[] = [
  {
    name: 'a command word that becomes several words or none',
    script: `c='echo a b'; $c c; $nothing; echo $?; $nothing echo x; "" 2>/dev/null; echo $?
`,
    stdout: `a b c
0
x
127
`,
    status: 0,
  },
  {
    name: 'assignments before commands',
    script: `x=1; x=2 eval 'echo $x'; echo $x; f() { echo "f $x"; }; x=3 f; echo $x; x=4 y=$x eval 'echo $y'
`,
    stdout: `2
1
f 3
1
4
`,
    status: 0,
  },
  {
    name: 'assignment before export',
    script: `x=2 export x; echo $x; bash -c 'echo "[$x]"'
`,
    stdout: `2
[2]
`,
    status: 0,
  },
  {
    name: 'local takes the value of an assignment before the call',
    script: `f() { local x; echo "[$x]"; x=9; }; x=5 f; echo "[$x]"; g() { unset x; echo "[$x]"; }; x=g; x=5 g; echo "[$x]"
`,
    stdout: `[5]
[]
[g]
[g]
`,
    status: 0,
  },
  {
    name: 'environment of programs',
    script: `export A=1; B=2; C=3 bash -c 'echo $A $B $C'; export -n A; bash -c 'echo "[$A]"'; declare -x D=4; bash -c 'echo $D'
`,
    stdout: `1 3
[]
4
`,
    status: 0,
  },
  {
    name: 'exported functions',
    script: `f() { echo "exported $1"; }; export -f f; bash -c 'f x'
`,
    stdout: `exported x
`,
    status: 0,
  },
  {
    name: 'status of substitutions',
    script: `x=$(exit 3); echo $?; x=$(exit 3) true; echo $?; $(exit 4); echo $?; echo $(exit 5); echo $?; x=a y=$(exit 6) z=b; echo $?; x=$(false) > /dev/null; echo $?
`,
    stdout: `3
0
4

0
6
1
`,
    status: 0,
  },
  {
    name: 'substitution from a file',
    script: `printf 'a\\nb\\n\\n' > f; x=$(<f); echo "[$x]"; echo "$(< f)"
`,
    stdout: `[a
b]
a
b
`,
    status: 0,
  },
  {
    name: 'nested substitutions and quotes',
    script: `echo "$(echo "$(echo "a  b")")" \`echo \\\`echo c\\\`\` $(echo "d $(echo 'e  f')")
`,
    stdout: `a  b c d e f
`,
    status: 0,
  },
  {
    name: 'last argument',
    script: `echo a b; echo $_; true x y; echo $_; x=5; echo "[$_]"; f() { echo in $_; }; f p q; echo $_
`,
    stdout: `a b
b
y
[]
in []
q
`,
    status: 0,
  },
  {
    name: 'positional parameters',
    script: `set -- a b c; echo $# $1 $3; shift; echo $# $*; shift 2; echo $#; shift; echo $?; set -- -x; echo $1; set - p q; echo $*
`,
    stdout: `3 a c
2 b c
0
1
-x
p q
`,
    status: 0,
  },
  {
    name: 'special parameters',
    script: `echo \${#-} >/dev/null; echo $0 | tr -d '\\n' >/dev/null; false; echo $?; echo $#; set -- 1 2; echo "$#" "$*" "$@"
`,
    stdout: `1
0
2 1 2 1 2
`,
    status: 0,
  },
  {
    name: 'BASH_SUBSHELL and BASHPID',
    script: `echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL)); [ $$ = $BASHPID ] && echo same; ([ $$ = $BASHPID ] || echo differs)
`,
    stdout: `0
1
2
same
differs
`,
    status: 0,
  },
  {
    name: 'RANDOM with a seed, SECONDS',
    script: `RANDOM=42; echo $RANDOM $RANDOM $RANDOM; SECONDS=100; echo $SECONDS; unset RANDOM; RANDOM=x; echo $RANDOM
`,
    stdout: `17772 26794 1435
100
x
`,
    status: 0,
  },
  {
    name: 'bash -c with arguments',
    script: `bash -c 'echo $0 $1 $#' name one two; bash -c 'echo $0' ; echo 'echo "$0 $*"' > s; bash s a b; bash -s x y <<< 'echo $* $#'
`,
    stdout: `name one 2
bash
s a b
x y 2
`,
    status: 0,
  },
  {
    name: 'scripts with and without an interpreter line',
    script: `printf '#!/usr/bin/env bash\\necho "script $0 $1"\\n' > s1; printf 'echo "plain $1"\\n' > s2; printf '#!/bin/sh\\necho sh $1\\n' > s3; chmod +x s1 s2 s3; ./s1 a; ./s2 b; ./s3 c; PATH=$PWD:$PATH; s2 d
`,
    stdout: `script ./s1 a
plain b
sh c
plain d
`,
    status: 0,
  },
  {
    name: 'script from standard input shares it',
    script: `printf 'read x\\nfirst line\\necho "got $x"\\n' | bash
`,
    stdout: `got first line
`,
    status: 0,
  },
  {
    name: 'source with arguments and return',
    script: `echo 'echo "src $# $1"; x=5; return 4; echo no' > lib; source ./lib p q; echo $? $x $#; . ./lib; echo $?; . ./nosuch 2>/dev/null; echo $?
`,
    stdout: `src 2 p
4 5 0
src 0 
4
1
`,
    status: 0,
  },
  {
    name: 'eval',
    script: `eval 'x=1; echo $x'; eval echo a '"b  c"'; eval 'false'; echo $?; for i in 1 2 3; do eval 'break'; done; echo $i; f() { eval 'return 3'; echo no; }; f; echo $?
`,
    stdout: `1
a b  c
1
1
3
`,
    status: 0,
  },
  {
    name: 'exec replaces the shell',
    script: `(exec echo replaced; echo no); exec 3>out; echo to file >&3; exec 3>&-; cat out; exec bash -c 'echo last $1' x y; echo no
`,
    stdout: `replaced
to file
last y
`,
    status: 0,
  },
  {
    name: 'exec of what is missing',
    script: `(exec nosuch 2>/dev/null; echo no); echo $?
`,
    stdout: `127
`,
    status: 0,
  },
  {
    name: 'aliases',
    script: `shopt -s expand_aliases
alias hi='echo hello' e='echo '
hi there
e hi
alias ll='hi ll' if2='if true; then'
ll; if2 echo yes; fi
unalias hi; hi 2>/dev/null; echo $?
alias e; alias nosuch 2>/dev/null; echo $?
`,
    stdout: `hello there
echo hello
hello ll
yes
hello
0
alias e='echo '
1
`,
    status: 0,
  },
  {
    name: 'type, command and builtin',
    script: `f() { :; }; type -t f echo if bash nosuch; command -v echo f if; type f; command -v nosuch; echo $?; echo() { builtin echo "fn $*"; }; echo a; command echo b; builtin echo c; unset -f echo; type echo; type -a true | head -1
`,
    stdout: `function
builtin
keyword
file
echo
f
if
f is a function
f () 
{ 
    :
}
1
fn a
b
c
echo is a shell builtin
true is a shell builtin
`,
    status: 0,
  },
  {
    name: 'hash',
    script: `hash -r; hash; hash bash; hash -t bash >/dev/null && echo known; hash -d bash; hash -t bash 2>/dev/null || echo gone
`,
    stdout: `hash: hash table empty
known
gone
`,
    status: 0,
  },
];
