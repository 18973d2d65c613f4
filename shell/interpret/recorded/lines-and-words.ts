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
  {
    name: 'getopt',
    script: `getopt -T; echo $?; getopt ab: -a -b 'x y' z
getopt -o a:bc:: -l one,two:,three:: -n prog -- -a 1 -b --two=3 --th -cx -c file "it's" -- -b; echo $?
getopt -q -o a -- -x >out; echo $?; getopt -l foo,fob -o '' -- --f x >out 2>&1; echo $?
set -- -v --name 'a b' rest; o=$(getopt -o v -l name: -- "$@"); eval set -- "$o"
while :; do case $1 in -v) echo v; shift ;; --name) echo "n=$2"; shift 2 ;; --) shift; break ;; esac; done; echo "$@"
`,
    stdout: `4
 -a -b x y -- z
 -a '1' -b --two '3' --three '' -c 'x' -c '' -- 'file' 'it'\\''s' '-b'
0
1
1
v
n=a b
rest
`,
    status: 0,
  },
  {
    name: 'here-documents of conditions in a script that comes by a pipe',
    script: `bash <<'SCRIPT'
if cat <<EOF; then
of if
EOF
  echo yes
fi
while cat <<E; do
of while
E
  break
done
case $(cat <<E
a
E
) in a) echo A;; esac
SCRIPT
`,
    stdout: `of if
yes
of while
A
`,
    status: 0,
  },
  {
    name: 'logout of no login shell, and a loop over no name',
    script: `logout 2>/dev/null; echo $?; for 1 in a; do :; done 2>/dev/null; echo $?
bash -l -c 'logout 4; echo no'; echo $?; bash -o posix -c 'for 1 in a; do :; done; echo no' 2>/dev/null; echo $?
`,
    stdout: `1
1
4
2
`,
    status: 0,
  },
  {
    name: 'lines of here-documents that are joined are no delimiters',
    script: `cat <<END
hello\\
END
END
cat <<END
\\
END
cat <<-END
	a\\
	END
	END
case - in [[.hyphen.]-9]) echo hyphen ;; esac; case c in [[.nosuch.]-z]) echo no ;; *) echo ok ;; esac
printf '#!/nonexistent\\n' >x; chmod +x x; ./x 2>/dev/null; echo $?
`,
    stdout: `helloEND
a	END
hyphen
ok
127
`,
    status: 0,
  },
  {
    name: 'words that begin no command, and what may follow a compound one',
    script: `for script in 'in; echo no' '{ { echo no; } >/dev/null }' 'times -x'; do bash -c "$script" 2>/dev/null; echo $?; done
if { echo a; } then echo b; fi; if (true) then echo c; fi; { (echo d) }; case in in in) echo in ;; esac
`,
    stdout: `2
2
2
a
b
c
d
in
`,
    status: 0,
  },
];
