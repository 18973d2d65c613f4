import type { RecordedScript } from './recorded-script.ts';

export const readingAndTraps: readonly RecordedScript[] = [
  {
    name: 'lines that are joined within operators, words and names',
    script: `echo a &\\
& echo b |\\
| echo no
f\\
o\\
r i i\\
n 1 2; d\\
o echo $i; do\\
ne; fu\\
nction g { echo in g; }; g; h (\\
) { echo h; }; h
case x in x) echo c ;\\
; esac
echo >\\
out d 2>\\
&1; cat o\\
ut
echo $LINENO
`,
    stdout: `a
b
1
2
in g
h
c
d
18
`,
    status: 0,
  },
  {
    name: 'lines that are joined within expansions',
    script: `xy=abc
echo \${xy\\
} \${\\
xy} \${xy:\\
1} \${xy#\\
a} \${#\\
xy} \${no:-\\
y} $\\
xy $x\\
y "\${xy\\
#a}" "$x\\
y" $(\\
(1+2)) $((1\\
2))
cat <\\
<E\\
ND
$x\\
y \${x\\
y}
END
echo \`echo 'p\\
q'\` 'r\\
s' "t\\
u"
echo $LINENO
`,
    stdout: `abc abc bc bc 3 y abc abc bc abc 3 12
abc abc
pq r\\
s tu
26
`,
    status: 0,
  },
  {
    name: 'aliases of reserved words, blanks and beginnings',
    script: `shopt -s expand_aliases
alias i='if true; then' t=then d=do f=fi dn=done b=' ' e='echo ' x='y z' open='{ echo hi' loop='for i in 1 2; do' in_='case x in' none='' p='echo piped |' fn='g()'
i echo yes; f
if true
t echo 1
f
for i in a b
d echo $i
dn
b
b echo 2
e b x
open; }
loop echo $i; done
in_ x) echo ok;; esac
none
none echo 3
p cat
fn { echo in g; }
g
alias two='echo one
echo two'
two
`,
    stdout: `yes
1
a
b
2
y z
hi
1
2
ok
3
piped
in g
one
two
`,
    status: 0,
  },
  {
    name: 'a mistake in the words of an array is one of its line',
    script: `echo before; x=(a & b); echo no
echo next $? \${#x[@]}
x=(a
| b)
echo last $?
`,
    stdout: `next 1 0
last 1
`,
    status: 0,
  },
  {
    name: 'a here-document may end at what closes its substitution',
    script: `x=$(cat <<E
hi
E)
echo "$x"
`,
    stdout: `hi
`,
    status: 0,
  },
  {
    name: 'exit in a trap of EXIT means the status before it',
    script: `(trap 'true; exit' EXIT; exit 4); echo $?
(set -e; trap 'echo trap; exit' EXIT; false); echo $?
(trap '(exit 5); exit' EXIT; exit 4); echo $?
(trap 'false; exit' USR1; kill -USR1 $BASHPID; echo no); echo $?
(f() { (exit 3); return; }; trap f EXIT; exit 7); echo $?
`,
    stdout: `4
trap
1
4
1
7
`,
    status: 0,
  },
  {
    name: 'negation and time of nothing',
    script: `! !
echo $?
! ! true; echo $?
TIMEFORMAT=
time
echo $?
f() { time; ! ; }; declare -f f
`,
    stdout: `0
0
0
f () 
{ 
    time ;
    ! 
}
`,
    status: 0,
  },
  {
    name: 'zero bytes and coprocesses',
    script: `coproc { read x; echo "got $x"; sleep 1; }
echo word >&\${COPROC[1]}
read y <&\${COPROC[0]}; echo "$y"
[ -n "$COPROC_PID" ]; echo $?; kill $COPROC_PID
f() { coproc N { cat; }; }; declare -f f
printf 'ec\\0ho z\\0ero\\n' | bash
`,
    stdout: `got word
0
f () 
{ 
    coproc N { 
        cat
    }
}
zero
`,
    status: 0,
  },
  {
    name: 'getopts of a function whose OPTIND is its own',
    script: `f() { typeset OPTIND=1 o; while getopts :abcxyz o; do echo $o; [ $o = y ] && f -abc; done; }; f -xyz
readonly OPTARG; set -- -a b; getopts :x x 2>/dev/null; echo $? $x
readonly x; getopts a x 2>/dev/null; echo $?
`,
    stdout: `x
y
a
b
c
z
0 ?
1
`,
    status: 0,
  },
  {
    name: 'brackets of case, of comments and of here-documents close no substitution',
    script: `t=5678; echo \${t: $(case 1 in 1) echo 1;; *) echo 2;; esac)}
a[$(case 1 in 1) echo 3;; esac)]=x; echo \${!a[@]}
echo \${t:(1 == 1 ? 2 : 3):1} $(( $(echo 4 # )
) ))
cat <<A && echo "$(cat <<B
of B
B
)" && echo end
of A
A
cat <<"E\\$a" && cat <<E\\
ND
one
E$a
two
E\\
ND
IFS=:; set -- 1 2; cat <<E
$* "$*" $@
E
`,
    stdout: `678
3
7 4
of A
of B
end
one
two
1 2 "1 2" 1 2
`,
    status: 0,
  },
];
