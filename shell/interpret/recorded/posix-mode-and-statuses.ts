import type { RecordedScript } from './recorded-script.ts';

export const posixModeAndStatuses: readonly RecordedScript[] = [
  {
    name: 'mistakes of special built-ins end a shell in POSIX mode',
    script: `for script in 'set -o nosuch' 'export -z' '. /nonexistent' 'readonly x=1; x=2' 'readonly x=1; x=3 true' 'readonly x=1; export x=3' ': </nonexistent' 'exec </nonexistent' 'eval "echo ("' 'break x' 'return' 'shift 3' 'export 1x=2' 'trap : NOSIG' 'unset -z' 'command export -z' 'command . /nonexistent' 'export -z || true' 'if export -z; then :; fi' 'true </nonexistent'; do
  bash -o posix -c "for i in 1; do $script; echo goes on; done" 2>/dev/null; echo "$script: $?"
done
`,
    stdout: `set -o nosuch: 2
export -z: 2
. /nonexistent: 1
readonly x=1; x=2: 127
readonly x=1; x=3 true: 1
readonly x=1; export x=3: 1
: </nonexistent: 1
exec </nonexistent: 1
eval "echo (": 2
break x: 128
return: 2
goes on
shift 3: 0
goes on
export 1x=2: 0
goes on
trap : NOSIG: 0
unset -z: 2
goes on
command export -z: 0
goes on
command . /nonexistent: 0
goes on
export -z || true: 0
goes on
if export -z; then :; fi: 0
goes on
true </nonexistent: 0
`,
    status: 0,
  },
  {
    name: 'POSIX mode is a variable too',
    script: `set -o posix; echo $POSIXLY_CORRECT; set +o posix; echo \${POSIXLY_CORRECT-unset}
POSIXLY_CORRECT=1; shopt -po posix; unset POSIXLY_CORRECT; shopt -po posix
set -o posix
echo "\${no-'}'}" \${no-'}'}
`,
    stdout: `y
unset
set -o posix
set +o posix
''} }
`,
    status: 0,
  },
  {
    name: 'descriptors that a variable names',
    script: `{fd}>/dev/null; echo $? \${fd-unset}
exec {fd}>out; echo hi >&$fd; cat out; exec {fd}>&-; echo $?
exec {a[1]}>&1; echo there >&\${a[1]}; exec {a[1]}>&-
readonly r=4; exec {r}>/dev/null; echo $?
exec {none}>&-; echo $?
`,
    stdout: `0 unset
hi
0
there
1
1
`,
    status: 0,
  },
  {
    name: 'what set, alias and printf %q quote',
    script: `q="'"; h=a#b; t='~'; u=a~; v=a=~; n=; set | grep '^[qhtuvn]='
printf '%q ' "'x'" '#a' a# '~' a~ a=~ a:~ '{'; echo
shopt -s expand_aliases; alias m=more; command -v m
printf '%b %b\\n' "\\\\'" '\\"'; printf '%(x)Z|\\n' 1 2>/dev/null
`,
    stdout: `h=a#b
n=
q=\\'
t='~'
u=a~
v='a=~'
\\'x\\' \\#a a# \\~ a~ a=/home/user a:\\~ \\{ 
alias m='more'
\\' \\"
%(x)Z|
`,
    status: 0,
  },
  {
    name: 'declare -c, and functions that are readonly',
    script: `declare -c v; v='be CONS x'; echo $v; declare -p v
f() { echo $( a  b ) $(<x) \`c  d\` "$( e   f )"; }; readonly -f f; declare -fr; declare -fi f; echo $?; declare -f +r f; echo $?
`,
    stdout: `Be cons x
declare -c v="Be cons x"
f () 
{ 
    echo $(a b) $(< x) \`c  d\` "$(e f)"
}
declare -fr f
1
1
`,
    status: 0,
  },
  {
    name: 'what a sourced file sets of the arguments stays',
    script: `echo 'shift; echo $@' >s; echo 'set -- q r' >t; set -- a b
. ./s c d; echo $@; . ./t c d; echo $@; . ./s; echo $@
`,
    stdout: `d
a b
q r
r
r
`,
    status: 0,
  },
  {
    name: "a pattern's group is a mistake where extglob is off",
    script: `eval 'echo a?(b)' 2>/dev/null; echo $?
shopt -s extglob
touch ab; echo a?(b) [[:x]; mkdir d; echo d*///
[[ ab == a?(b) ]]; echo $?
`,
    stdout: `2
ab [[:x]
d/
0
`,
    status: 0,
  },
  {
    name: 'a process substitution has a status',
    script: `cat <(exit 5); wait $!; echo $?
a=(x); unset 'a[]' 2>/dev/null; echo $? \${a[0]}
readonly s; BASH_ARGV0=other; echo $0
select x in a b; do echo "got $x"; done <<<2 2>/dev/null; echo $?
`,
    stdout: `5
0 x
other
got b

1
`,
    status: 0,
  },
  {
    name: 'grep with no pattern at all',
    script: `printf 'a\\nb\\n' >f; : >none; grep -c -f none f; echo $?; grep -vc -f none f; grep -L -f none f; grep -l -f none f; echo $?
`,
    stdout: `1
2
f
1
`,
    status: 0,
  },
];
