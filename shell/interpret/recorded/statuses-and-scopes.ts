import type { RecordedScript } from './recorded-script.ts';

export const statusesAndScopes: readonly RecordedScript[] = [
  {
    name: 'statuses of nothing, of continue and of break with !',
    script: `true; $(); echo $?; false; $(); echo $?; false; a=$(); echo $?; false; \`\`; echo $?; $(false); echo $?
e=; while echo $?; test $e && break; true; do e=1; false; continue; done
for i in 1; do ! break; done; echo $?; for i in 1 2; do ! continue; done; echo $?
(exec ./nofile); echo $?
`,
    stdout: `0
0
0
0
1
0
0
1
1
127
`,
    status: 0,
  },
  {
    name: 'a local variable of an exported one is exported',
    script: `export z=z; f() { local z=a; env | grep ^z; }; f; env | grep ^z; g() { local y=1; env | grep ^y; }; g; echo $?
`,
    stdout: `z=a
z=z
1
`,
    status: 0,
  },
  {
    name: 'a function may not be named as a reserved word',
    script: `eval 'if() { echo; }' 2>/dev/null; echo $?; eval 'while() { :; }' 2>/dev/null; echo $?
`,
    stdout: `2
2
`,
    status: 0,
  },
  {
    name: 'the end of a job is seen by kill',
    script: `true & wait; kill -0 $! 2>/dev/null; echo $?
sleep 0.1 & while kill -0 $! 2>/dev/null; do :; done; echo ended
`,
    stdout: `1
ended
`,
    status: 0,
  },
  {
    name: 'a trap of EXIT in a subshell writes where that was redirected to',
    script: `(trap 'echo foo' EXIT; echo a) >f; cat f
`,
    stdout: `a
foo
`,
    status: 0,
  },
  {
    name: 'tabs and quotes of here-documents',
    script: `cat <<-E
	a\\
	b
	c
	E
cat <<E
\`echo \\"1\\"\` "\`echo \\"2\\"\`" $(echo \\"3\\")
E
`,
    stdout: `a	b
c
"1" ""2"" "3"
`,
    status: 0,
  },
  {
    name: 'what command, umask, kill and cd tell',
    script: `PATH= command -pv nosuchcommand; echo $?
set -o posix; command -V :; kill -l | cut -c1-19; set +o posix
umask -S 027; CDPATH=/; cd tmp
`,
    stdout: `1
: is a special shell builtin
HUP INT QUIT ILL TR
u=rwx,g=rx,o=
/tmp
`,
    status: 0,
  },
  {
    name: 'lines of arithmetic that are joined, and functions in a limit of their own',
    script: `echo $\\
(\\
(\\
42\\
)\\
)
FUNCNEST=2; f() { echo x; f; }; f 2>/dev/null; echo $?
`,
    stdout: `42
x
x
`,
    status: 1,
  },
  {
    name: 'lists without elements in the place of a value, parentheses in a time format, numbered directories',
    script: `n() { echo $#; }; n "\${u-$@}" "\${u:-\${@}}"; n "\${u-"$@"}" "\${u-\${a[@]}}"; x=1; n "\${x+$@}"; n \${u-"$@"} \${x+"$@"}; n "$@" "\${u-}$@" "\${@:1}"
printf '%(%Y (a) %H)T|%.6(x(b)y)T\\n' 0 0; cd /; pushd /usr >/dev/null; dirs -v +1; dirs -l -v -1
cd /tmp; printf '#!/nope/x\\n' > nope-$$; chmod +x nope-$$; ./nope-$$; echo $?; rm nope-$$
`,
    stdout: `2
2
1
0
0
1970 (a) 00|x(b)y
 1  /
 0  /usr
127
`,
    status: 0,
  },
];
