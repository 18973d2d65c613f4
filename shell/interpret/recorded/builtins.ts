import type { RecordedScript } from './recorded-script.ts';

export const builtins: readonly RecordedScript[] = [
  {
    name: 'echo options',
    script: `echo -n a; echo; echo -e 'a\\tb\\n\\x41\\0101\\u00e9'; echo -E 'a\\tb'; echo -ne 'x\\c y'; echo; echo -x; echo -- a; echo -nn b; echo; echo "a\\nb"; shopt -s xpg_echo; echo 'a\\tb'
`,
    stdout: `a
a	b
AAé
a\\tb
x
-x
-- a
b
a\\nb
a	b
`,
    status: 0,
  },
  {
    name: 'printf conversions',
    script: `printf '%s|%5s|%-5s|%.2s\\n' a b c defg; printf '%d %i %u %x %X %o\\n' 10 -3 7 255 255 8; printf '%5.2f|%e|%g|%G\\n' 3.14159 12345.678 0.00001 1e20; printf '%c%c\\n' abc d; printf '%%|%5%|\\n' 2>/dev/null; printf '%b|\\n' 'a\\tb\\c' x; echo; printf '%q %q %q\\n' 'a b' '' $'a\\nb'
`,
    stdout: `a|    b|c    |de
10 -3 7 ff FF 10
 3.14|1.234568e+04|1e-05|1E+20
ad
%|a	b
a\\ b '' $'a\\nb'
`,
    status: 0,
  },
  {
    name: 'printf reuses its format',
    script: `printf '%s-%s\\n' a b c; printf '%d,' 1 2 3; echo; printf 'x\\n' a b; printf '%s\\n'; printf '[%s]' "" ; echo
`,
    stdout: `a-b
c-
1,2,3,
x

[]
`,
    status: 0,
  },
  {
    name: 'printf numbers',
    script: `printf '%d %d %d %d\\n' 0x1F 010 "'a" '"b'; printf '%d\\n' 1x 2>/dev/null; echo $?; printf '%d\\n' abc 2>/dev/null; echo $?; printf '%+d|% d|%05d|%-5d|%#x|%#o\\n' 1 2 3 4 5 6; printf '%*d|%-*d|%.*f\\n' 5 1 5 2 2 1.239; printf '%.3d|%10.3d|\\n' 5 6; printf '%x\\n' -1; printf '%.0f %.0f %.0f\\n' 0.5 1.5 2.5
`,
    stdout: `31 8 97 98
1
1
0
1
+1| 2|00003|4    |0x5|06
    1|2    |1.24
005|       006|
ffffffffffffffff
0 2 2
`,
    status: 0,
  },
  {
    name: 'printf -v and %n',
    script: `printf -v x '%03d' 7; echo $x; printf -v 'a[2]' %s hi; echo "\${a[2]} \${#a[@]}"; printf 'abc%n\\n' n; echo $n
`,
    stdout: `007
hi 1
abc
3
`,
    status: 0,
  },
  {
    name: 'printf time',
    script: `TZ=UTC printf '%(%Y-%m-%d %H:%M:%S)T\\n' 0; TZ=UTC printf '%(%a %b %e %j %U %V %u %p %Z %z %s)T\\n' 1700000000; printf -v y '%(%Y)T' -1; [ $y -ge 2024 ] && echo ok
`,
    stdout: `1970-01-01 00:00:00
Tue Nov 14 318 46 46 2 PM UTC +0000 1700000000
ok
`,
    status: 0,
  },
  {
    name: 'read splits',
    script: `echo 'a b  c d' | { read x y z; echo "[$x][$y][$z]"; }; echo '  lead trail  ' | { read x; echo "[$x]"; }; echo 'a:b::c' | { IFS=: read x y z w; echo "[$x][$y][$z][$w]"; }; echo 'a\\ b c' | { read x y; echo "[$x][$y]"; }; echo 'a\\ b' | { read -r x; echo "[$x]"; }; echo ' a ' | { IFS= read -r x; echo "[$x]"; }
`,
    stdout: `[a][b][c d]
[lead trail]
[a][b][][c]
[a b][c]
[a\\ b]
[ a ]
`,
    status: 0,
  },
  {
    name: 'read options',
    script: `printf 'a,b,c' | { read -d , x; echo "$x"; read -d , y; echo "$y"; read -d , z; echo "$z $?"; }; echo abcdef | { read -n 3 x; echo "$x"; read y; echo "$y"; }; printf 'ab\\ncd' | { read -N 4 x; echo "[$x]"; }; echo 'p q r' | { read -a arr; echo "\${#arr[@]} \${arr[1]}"; }; printf 'x\\\\\\ny\\n' | { read a; echo "[$a]"; }; read x < /dev/null; echo "$? [$x]"; printf 'no newline' | { read x; echo "$? [$x]"; }
`,
    stdout: `a
b
c 1
abc
def
[ab
c]
3 q
[xy]
1 []
1 [no newline]
`,
    status: 0,
  },
  {
    name: 'read into REPLY and several descriptors',
    script: `echo ' keep  ' | { read; echo "[$REPLY]"; }; exec 5<<< 'five'; read -u 5 x; echo $x; read -t 0.01 x < <(sleep 0.2); echo $(($? > 128)); printf '1\\n2\\n' | { read a; read b; echo $a$b; }
`,
    stdout: `[ keep  ]
five
1
12
`,
    status: 0,
  },
  {
    name: 'read with separators that are no blanks',
    script: `IFS=',' read -ra a <<< 'x,,y,'; echo "\${#a[@]}"; printf '[%s]' "\${a[@]}"; echo; IFS=', ' read a b c <<< 'p , q r'; echo "[$a][$b][$c]"; IFS=: read a b <<< 'x:y:z'; echo "[$a][$b]"; IFS=: read a b <<< 'x:y:'; echo "[$a][$b]"
`,
    stdout: `3
[x][][y]
[p][q][r]
[x][y:z]
[x][y]
`,
    status: 0,
  },
  {
    name: 'mapfile',
    script: `printf 'a\\nb\\nc\\n' | { mapfile x; echo "\${#x[@]}\${x[0]}|"; }; mapfile -t y < <(printf '1\\n2\\n3'); echo "\${y[@]}"; mapfile -t -n 2 -s 1 z <<< $'p\\nq\\nr\\ns'; echo "\${z[@]}"; mapfile -d , -t w <<< 'a,b,c'; echo "\${#w[@]} \${w[1]}"; mapfile -O 2 -t y < <(echo new); echo "\${y[@]}"; cb() { echo "cb $1 [$2]"; }; mapfile -t -C cb -c 2 v <<< $'1\\n2\\n3\\n4'
`,
    stdout: `3a
|
1 2 3
q r
3 b
1 2 new
cb 1 [2]
cb 3 [4]
`,
    status: 0,
  },
  {
    name: 'declare prints',
    script: `x=1; declare -i n=5+5; declare -r r=ro; declare -a a=(1 "b c"); declare -A m=([k]=v); declare -x e=exp; declare -l low=ABC; declare -u up=abc; declare -p x n r a m e low up; declare -n ref=x; declare -p ref; echo $ref; declare -p nosuch; echo $?; declare y; declare -p y
`,
    stdout: `declare -- x="1"
declare -i n="10"
declare -r r="ro"
declare -a a=([0]="1" [1]="b c")
declare -A m=([k]="v" )
declare -x e="exp"
declare -l low="abc"
declare -u up="ABC"
declare -n ref="x"
1
1
declare -- y
`,
    status: 0,
  },
  {
    name: 'declare in functions',
    script: `f() { declare a=1; declare -g b=2; typeset c=3; local -a d=(x y); local e=$1 g; echo "$a$b$c\${d[1]}$e[$g]"; }; f arg; echo "[$a][$b][$c]"
`,
    stdout: `123yarg[]
[][2][]
`,
    status: 0,
  },
  {
    name: 'declare attributes',
    script: `declare -i i=3; i+=4; echo $i; i=2*5; echo $i; declare +i i; i=2*5; echo $i; declare -a arr; arr[3]=x; echo "\${!arr[@]}"; declare -A h; h[a b]=1; h["c"]=2; echo "\${#h[@]} \${h[a b]}"; declare -u s; s=abc; echo $s; declare -r k=1; k=2; echo no
`,
    stdout: `7
10
2*5
3
2 1
ABC
`,
    status: 1,
  },
  {
    name: 'arrays through declare',
    script: `declare -a x=([2]=two [0]=zero three); echo "\${!x[@]}: \${x[@]}"; declare -A y=([one]=1 [two]="2 2"); echo "\${y[one]} \${y[two]}"; z=(a b); z+=(c); echo \${z[@]} \${#z[@]}; unset 'z[1]'; echo "\${!z[@]}"; local_() { local -A l=([p]=q); echo \${l[p]}; }; local_; export EX=(1 2); readonly RO=(3 4); echo \${RO[1]}
`,
    stdout: `0 1 2: zero three two
1 2 2
a b c 3
0 2
q
4
`,
    status: 0,
  },
  {
    name: 'export and readonly print',
    script: `export A='a b'; readonly B=2; export -p | grep ' A='; readonly -p | grep ' B='; unset B; echo $?; export -n A; export -p | grep ' A='; echo $?; export 1bad=2; echo $?
`,
    stdout: `declare -x A="a b"
declare -r B="2"
1
1
1
`,
    status: 0,
  },
  {
    name: 'unset',
    script: `x=1; unset x; echo "[$x]"; f() { :; }; unset f; type f 2>/dev/null; echo $?; a=(1 2 3); unset 'a[1]'; echo \${a[@]}; unset -v nosuch; echo $?; unset a; echo \${#a[@]}; g() { local y=1; unset y; y=2; echo $y; }; y=0; g; echo $y
`,
    stdout: `[]
1
1 3
0
0
2
0
`,
    status: 0,
  },
  {
    name: 'shift and getopts',
    script: `set -- -a -b val -c rest; while getopts 'ab:c' o; do echo "$o [$OPTARG] $OPTIND"; done; echo $? $OPTIND; OPTIND=1; while getopts ':x:' o -x; do echo "$o [$OPTARG]"; done; OPTIND=1; getopts 'a' o -z 2>/dev/null; echo "$o [$OPTARG]"; f() { local OPTIND; while getopts 'n:' o "$@"; do echo "f $o $OPTARG"; done; shift $((OPTIND-1)); echo "$@"; }; f -n5 -n 6 x y
`,
    stdout: `a [] 2
b [val] 4
c [] 5
0 5
: [x]
? []
f n 5
f n 6
x y
`,
    status: 0,
  },
  {
    name: 'set and shopt',
    script: `set -o | grep errexit; set -e; case $- in *e*) echo e on;; esac; set +e; shopt nullglob; echo $?; shopt -s nullglob; shopt -q nullglob; echo $?; shopt -u nullglob; shopt -p nullglob; set -o nosuch; echo $?; shopt nosuch; echo $?; set -- a b; set -x 2>/dev/null; set +x; echo $*
`,
    stdout: `errexit        	off
e on
nullglob       	off
1
0
shopt -u nullglob
2
1
a b
`,
    status: 0,
  },
  {
    name: 'local - keeps options',
    script: `f() { local -; set -f; echo *nomatch*; case $- in *f*) echo on;; esac; }; f; case $- in *f*) echo still;; *) echo off;; esac
`,
    stdout: `*nomatch*
on
off
`,
    status: 0,
  },
  {
    name: 'cd, pwd and OLDPWD',
    script: `mkdir -p d/e; cd d; echo \${PWD##*/}; cd e; cd ..; echo \${PWD##*/}; cd - > /dev/null; echo \${PWD##*/}; cd ../..; cd nosuch; echo $?; cd d e; echo $?; (cd d; pwd | sed 's/.*\\///'); HOME=$PWD/d; cd; echo \${PWD##*/}; cd /; pwd; cd //; pwd; cd /tmp/../tmp/.; pwd
`,
    stdout: `d
d
e
1
1
d
d
/
//
/tmp
`,
    status: 0,
  },
  {
    name: 'pushd, popd and dirs',
    script: `cd /; pushd /tmp; pushd /usr; dirs; dirs -v; pushd; popd; popd; popd; echo $?; dirs -p
`,
    stdout: `/tmp /
/usr /tmp /
/usr /tmp /
 0  /usr
 1  /tmp
 2  /
/tmp /usr /
/usr /
/
1
/
`,
    status: 0,
  },
  {
    name: 'cd through links',
    script: `mkdir -p real/sub; ln -s real link; cd link/sub; cd ..; echo \${PWD##*/}; cd -P .; echo \${PWD##*/}; pwd -P | sed 's/.*\\///'
`,
    stdout: `link
real
real
`,
    status: 0,
  },
  {
    name: 'umask',
    script: `umask 027; umask; umask -S; umask u=rwx,g=rx,o=; umask; touch f; umask -p; umask 9; echo $?
`,
    stdout: `0027
u=rwx,g=rx,o=
0027
umask 0027
1
`,
    status: 0,
  },
  {
    name: 'let and test',
    script: `let x=1+2; echo $x; test a = a; echo $?; [ -n "" ]; echo $?; [ 1 -lt 2 -a 2 -lt 3 ]; echo $?; [ ! -e nosuch ]; echo $?; [ a; echo $?; test -f nosuch -o -d /tmp; echo $?; [ ]; echo $?; [ x ]; echo $?; [ '(' a ')' ]; echo $?; [ 1 -eq x ]; echo $?
`,
    stdout: `3
0
1
0
0
2
0
1
0
0
2
`,
    status: 0,
  },
  {
    name: 'caller',
    script: `f() { caller; caller 0; g; }
g() { caller 1; }
f
`,
    stdout: `3 .script
3 main .script
3 main .script
`,
    status: 0,
  },
  {
    name: 'times, ulimit, enable, help',
    script: `times | wc -l; ulimit -n >/dev/null; echo $?; enable -n echo; type -t echo; enable echo; type -t echo; help : >/dev/null; echo $?; builtin nosuch 2>/dev/null; echo $?
`,
    stdout: `2
0
file
builtin
0
1
`,
    status: 0,
  },
  {
    name: 'compgen',
    script: `xyz1=1; xyz2=2; compgen -v xyz; compgen -A function; f1() { :; }; compgen -A function f; compgen -W 'apple apricot banana' ap; mkdir dd; touch ff; compgen -d d; compgen -f f
`,
    stdout: `xyz1
xyz2
f1
apple
apricot
dd
ff
`,
    status: 0,
  },
  {
    name: 'declare -f round trip',
    script: `f() { if [ "$1" ]; then echo "yes $1" | cat; else echo no; fi; for i in a b; do echo $i; done; case $1 in x) echo X;; esac; }; eval "$(declare -f f | sed 's/^f /g /')"; g x; declare -F f; declare -F | wc -l
`,
    stdout: `yes x
a
b
X
f
2
`,
    status: 0,
  },
];
