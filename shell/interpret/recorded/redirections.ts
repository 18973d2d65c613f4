import type { RecordedScript } from './recorded-script.ts';

export const redirections: readonly RecordedScript[] = [
  {
    name: 'files',
    script: `echo a > f; echo b >> f; cat f; cat < f > g; cat g; > f; cat f; echo $?; echo x >| f; cat f
`,
    stdout: `a
b
a
b
0
x
`,
    status: 0,
  },
  {
    name: 'descriptors',
    script: `exec 3> f; echo three >&3; exec 3>&-; cat f; echo y 2>&1 >&2 | cat; { echo out; echo err >&2; } 2>&1 | cat; echo z >&7; echo $?
`,
    stdout: `three
y
out
err
1
`,
    status: 0,
  },
  {
    name: 'both outputs',
    script: `{ echo o; echo e >&2; } &> f; cat f; { echo o2; echo e2 >&2; } >& g; cat g; { echo o3; echo e3 >&2; } &>> f; cat f
`,
    stdout: `o
e
o2
e2
o
e
o3
e3
`,
    status: 0,
  },
  {
    name: 'read and write',
    script: `echo hello > f; exec 4<> f; read x <&4; echo "$x"; echo more >&4; exec 4>&-; cat f
`,
    stdout: `hello
hello
more
`,
    status: 0,
  },
  {
    name: 'moving and closing',
    script: `exec 5>f; echo a >&5; exec 6>&5-; echo b >&6; echo c >&5; echo $?; exec 6>&-; cat f
`,
    stdout: `1
a
b
`,
    status: 0,
  },
  {
    name: 'named descriptors',
    script: `exec {fd}> f; [ $fd -ge 10 ] && echo ok; echo a >&$fd; exec {fd}>&-; cat f; { echo in; } {x}> g; echo named >&$x; cat g
`,
    stdout: `ok
a
in
named
`,
    status: 0,
  },
  {
    name: 'order of redirections',
    script: `echo a 2>&1 > f; cat f; ls nosuch 2>&1 > g | cat > /dev/null; cat g | wc -l
`,
    stdout: `a
0
`,
    status: 0,
  },
  {
    name: 'noclobber',
    script: `set -C; echo a > f; echo b > f; echo $?; echo c >| f; cat f; echo d >> f; cat f; echo e > /dev/null; echo $?
`,
    stdout: `1
c
c
d
0
`,
    status: 0,
  },
  {
    name: 'failing redirections',
    script: `echo a > /nonexistent/x; echo $?; cat < nosuch; echo $?; { echo no; } > /nonexistent/x; echo $?; f() { echo f; }; f > /nonexistent/x; echo $?; x=1 > /nonexistent/y; echo $? $x; exec 3< nosuch; echo $?
`,
    stdout: `1
1
1
1
1 1
1
`,
    status: 0,
  },
  {
    name: 'ambiguous redirections',
    script: `x='a b'; echo hi > $x; echo $?; y=; echo hi > $y; echo $?; echo ok > "$x"; cat 'a b'
`,
    stdout: `1
1
ok
`,
    status: 0,
  },
  {
    name: 'here-documents',
    script: `x=1; cat <<A; cat <<'B'; cat <<-C
x is $x $(echo sub) \\$x \`echo bt\`
A
x is $x $(echo sub)
B
	tabs
		stripped $x
	C
cat <<"" | cat
line

echo after
`,
    stdout: `x is 1 sub $x bt
x is $x $(echo sub)
tabs
stripped 1
line
after
`,
    status: 0,
  },
  {
    name: 'two here-documents',
    script: `cat /dev/fd/3 - 3<<A <<B
first
A
second
B
`,
    stdout: `first
second
`,
    status: 0,
  },
  {
    name: 'here-strings',
    script: `cat <<< hello; x='a  b'; cat <<< $x; cat <<< "$x"; read a b <<< 'p q r'; echo "$a|$b"; wc -l <<< $'a\\nb'
`,
    stdout: `hello
a  b
a  b
p|q r
2
`,
    status: 0,
  },
  {
    name: 'redirections of compound commands',
    script: `for i in 1 2; do echo $i; done > f; cat f; while read x; do echo "got $x"; done < f; if true; then echo if; fi > g; cat g; (echo sub) >> g; cat g
`,
    stdout: `1
2
got 1
got 2
if
if
sub
`,
    status: 0,
  },
  {
    name: 'loop that reads a file and runs commands',
    script: `printf '1\\n2\\n3\\n' > f; while read x; do [ $x = 2 ] && read y; echo "$x $y"; done < f
`,
    stdout: `1 
2 3
`,
    status: 0,
  },
  {
    name: '/dev paths',
    script: `echo a > /dev/stdout; echo b > /dev/stderr 2>&1; cat /dev/stdin <<< c; echo d > /dev/null; cat < /dev/null; echo e | cat /dev/fd/0; echo f > /dev/fd/1
`,
    stdout: `a
c
e
f
`,
    status: 0,
  },
  {
    name: 'closed descriptors',
    script: `echo a >&-; echo $?; (exec 1>&-; echo b); echo $?; cat <&-; echo $?; { echo c >&2; } 2>&-; echo $?
`,
    stdout: `1
1
1
1
`,
    status: 0,
  },
  {
    name: 'process substitution',
    script: `cat <(echo a) <(echo b); while read x; do echo "line $x"; done < <(printf '1\\n2\\n'); echo data > >(cat); wait; paste <(printf '1\\n2\\n') <(printf 'a\\nb\\n')
`,
    stdout: `a
b
line 1
line 2
data
1	a
2	b
`,
    status: 0,
  },
  {
    name: 'process substitution and variables',
    script: `x=0; while read y; do ((x+=y)); done < <(echo 3; echo 4); echo $x; f() { cat "$1"; }; f <(echo from function)
`,
    stdout: `7
from function
`,
    status: 0,
  },
  {
    name: 'exec redirections in a subshell',
    script: `(exec > f; echo inside); echo outside; cat f; exec 9>&1; (echo nine >&9) > /dev/null; exec 9>&-
`,
    stdout: `outside
inside
nine
`,
    status: 0,
  },
  {
    name: 'here-document in a function and loop',
    script: `f() { cat <<E
arg $1
E
}
for i in 1 2; do f $i; done
`,
    stdout: `arg 1
arg 2
`,
    status: 0,
  },
];
