import type { RecordedScript } from './recorded-script.ts';

export const pipelinesAndJobs: readonly RecordedScript[] = [
  {
    name: 'pipelines',
    script: `echo a | cat | cat; printf 'c\\na\\nb\\n' | sort; echo x | while read y; do echo "got $y"; done; echo a | { cat; echo b; } | cat
`,
    stdout: `a
a
b
c
got x
a
b
`,
    status: 0,
  },
  {
    name: 'variables of pipeline parts are lost',
    script: `echo a | read x; echo "[$x]"; shopt -s lastpipe; echo b | read x; echo $x; printf '1\\n2\\n' | while read y; do z=$y; done; echo $z
`,
    stdout: `[]
b
2
`,
    status: 0,
  },
  {
    name: 'both outputs into a pipe',
    script: `{ echo o; echo e >&2; } |& sort; f() { echo fe >&2; }; f |& cat
`,
    stdout: `e
o
fe
`,
    status: 0,
  },
  {
    name: 'a pipe whose reader leaves',
    script: `yes | head -2; echo \${PIPESTATUS[@]}; while true; do echo y; done | head -1; echo $?
`,
    stdout: `y
y
141 0
y
0
`,
    status: 0,
  },
  {
    name: 'more than a pipe holds',
    script: `for i in {1..3000}; do echo "line $i of many lines that fill the pipe's buffer"; done | { sleep 0.05; wc -l; }
`,
    stdout: `3000
`,
    status: 0,
  },
  {
    name: 'reading what another part leaves',
    script: `printf '1\\n2\\n3\\n' | { read a; cat; echo "a=$a"; }
`,
    stdout: `2
3
a=1
`,
    status: 0,
  },
  {
    name: 'function and compound parts',
    script: `f() { while read x; do echo "f:$x"; done; }; printf 'a\\nb\\n' | f | { read l; echo "$l"; }; echo z | if read q; then echo "q=$q"; fi; echo y | (read r; echo "r=$r")
`,
    stdout: `f:a
q=z
r=y
`,
    status: 0,
  },
  {
    name: 'background jobs',
    script: `sleep 0.05 & p=$!; wait $p; echo $?; (exit 3) & wait $!; echo $?; (sleep 0.05; echo bg) & echo fg; wait; echo end
`,
    stdout: `0
3
fg
bg
end
`,
    status: 0,
  },
  {
    name: 'wait for several',
    script: `(exit 1) & a=$!; (exit 2) & b=$!; wait $a $b; echo $?; wait $a; echo $?; wait 99999 2>/dev/null; echo $?; wait; echo $?
`,
    stdout: `2
1
127
0
`,
    status: 0,
  },
  {
    name: 'wait -p',
    script: `(exit 7) & wait -n -p v; echo $? $([ $v = $! ] && echo same)
`,
    stdout: `7 same
`,
    status: 0,
  },
  {
    name: 'background output is captured',
    script: `x=$( (echo a; sleep 0.05; echo b) & ); echo "$x"
`,
    stdout: `a
b
`,
    status: 0,
  },
  {
    name: 'background lists',
    script: `false || echo x & wait; true && echo y & wait $!; echo $?; { echo g; } & wait
`,
    stdout: `x
y
0
g
`,
    status: 0,
  },
  {
    name: 'background input is empty',
    script: `echo data | { cat & wait; }; echo end
`,
    stdout: `data
end
`,
    status: 0,
  },
  {
    name: 'disown and kill',
    script: `sleep 10 & disown; jobs; kill $!; sleep 10 & kill -9 %1; wait %1 2>/dev/null; echo $?
`,
    stdout: `137
`,
    status: 0,
  },
  {
    name: 'kill -l',
    script: `kill -l 9; kill -l TERM; kill -l 137; kill -0 $$; echo $?; kill -0 999999 2>/dev/null; echo $?
`,
    stdout: `KILL
15
KILL
0
1
`,
    status: 0,
  },
  {
    name: 'xtrace',
    script: `exec 2>&1; set -x; x=1; echo "a b" $x; for i in a b; do :; done; [[ $x == 1 ]]; ((x+1)); case $x in 1) ;; esac; f() { echo f; }; f a; y=$(echo sub); set +x; PS4='> '; set -x; true
`,
    stdout: `+ x=1
+ echo 'a b' 1
a b 1
+ for i in a b
+ :
+ for i in a b
+ :
+ [[ 1 == 1 ]]
+ (( x+1 ))
+ case $x in
+ f a
+ echo f
f
++ echo sub
+ y=sub
+ set +x
> true
`,
    status: 0,
  },
  {
    name: 'verbose',
    script: `exec 2>&1; set -v
echo a
set +v
`,
    stdout: `echo a
a
set +v
`,
    status: 0,
  },
];
