import type { RecordedScript } from './recorded-script.ts';

export const linesAndWords: readonly RecordedScript[] = [
  {
    name: 'the line of a command is that of its second word',
    script: `echo $LINENO "foo
bar" $LINENO
echo \\
  $LINENO a
x=1 \\
y=2 \\
  env | grep -c ^y; echo $LINENO
eval 'echo $LINENO
echo $LINENO'
f() {
  echo $LINENO \\
   b
  g "a
b"
}
g() { echo \${BASH_LINENO[0]}; }
f
`,
    stdout: `1 foo
bar 1
4 a
1
7
9
10
11 b
14
`,
    status: 0,
  },
  {
    name: 'words of eval that look like arrays',
    script: `eval foo=(); declare -p foo; x='a b'; eval bar=(\\"\\$x\\" $x); declare -p bar
eval 'z=(1 2)'; echo \${z[1]}; let x=(1+2); echo $x
`,
    stdout: `declare -a foo=()
declare -a bar=([0]="a b" [1]="a" [2]="b")
2
3
`,
    status: 0,
  },
  {
    name: 'a loop over a name reference refers to one after the other',
    script: `f() { typeset -n ref=$1; for ref in one two three; do echo "$ref"; done; echo \${!ref}; }; one=1 two=2 three=3; f one
declare -n v; v1=1 v2=2; for v in v1 v2; do echo "\${!v}: $v"; done
`,
    stdout: `1
2
3
three
v1: 1
v2: 2
`,
    status: 0,
  },
  {
    name: 'a local array has what the one around it had',
    script: `a=(zero one); f() { local -a a=("\${a[@]}" x); declare -p a; local -i c=(1+1 2); declare -p c; }; f; declare -p a
declare -A m=([a=b]=1 [";"]=2); declare -p m
`,
    stdout: `declare -a a=([0]="zero" [1]="one" [2]="x")
declare -ai c=([0]="2" [1]="2")
declare -a a=([0]="zero" [1]="one")
declare -A m=([";"]="2" [a=b]="1" )
`,
    status: 0,
  },
  {
    name: 'programs: sizes, floats, zones, quoted names, no archive',
    script: `printf '4m\\n5k\\n1K\\n2M\\n1G\\n10\\n' | sort -h
printf abcdefgh | od -X; printf abcdefgh | od -O; printf abcdefgh | od -e
date -u -d 'TZ="America/New_York" 2020-01-01 00:00' +%F_%T
printf 'x y\\nz\\n' >'a b'; printf -- '--- "a b"\\n+++ "a b"\\n@@ -1,2 +1,2 @@\\n-x y\\n+hello\\n z\\n' | patch; cat 'a b'
: >e; tar tf e 2>/dev/null; echo $?
mkdir q; TMPDIR= mktemp -p q -t xXXXXXX | sed 's/x.*/x/'
`,
    stdout: `4m
10
1K
5k
2M
1G
0000000 64636261 68676665
0000010
0000000 14430661141 15031663145
0000010
0000000   8.540883223036124e+194
0000010
2020-01-01_05:00:00
patching file 'a b'
hello
z
2
q/x
`,
    status: 0,
  },
];
