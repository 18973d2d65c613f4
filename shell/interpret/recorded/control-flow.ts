import type { RecordedScript } from './recorded-script.ts';

export const controlFlow: readonly RecordedScript[] = [
  {
    name: 'and-or lists',
    script: `true && echo a || echo b; false && echo c || echo d; false || false; echo $?
`,
    stdout: `a
d
1
`,
    status: 0,
  },
  {
    name: 'negation',
    script: `! true; echo $?; ! false; echo $?; ! ! false; echo $?
`,
    stdout: `1
0
1
`,
    status: 0,
  },
  {
    name: 'if elif else',
    script: `for x in 1 2 3; do if [ $x = 1 ]; then echo one; elif [ $x = 2 ]; then echo two; else echo other; fi; done; if false; then :; fi; echo $?
`,
    stdout: `one
two
other
0
`,
    status: 0,
  },
  {
    name: 'while, until, break and continue with counts',
    script: `i=0; while [ $i -lt 5 ]; do i=$((i+1)); [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done
until [ $i -le 0 ]; do echo u$i; i=$((i-2)); done
for a in 1 2 3; do for b in x y z; do [ $b = y ] && continue 2; [ $a = 3 ] && break 2; echo $a$b; done; done; echo end $?
`,
    stdout: `1
3
u4
u2
1x
2x
end 0
`,
    status: 0,
  },
  {
    name: 'loop statuses',
    script: `while false; do :; done; echo $?; for i in 1; do false; done; echo $?; for i in; do :; done; echo $?
for i in 1 2; do false; break; done; echo $?
`,
    stdout: `0
1
0
0
`,
    status: 0,
  },
  {
    name: 'for over positional parameters',
    script: `set -- a "b c" d; for x; do echo "[$x]"; done; for x in "$@"; do echo "<$x>"; done
`,
    stdout: `[a]
[b c]
[d]
<a>
<b c>
<d>
`,
    status: 0,
  },
  {
    name: 'C-style for',
    script: `for ((i=0; i<3; i++)); do echo $i; done; for ((;;)); do break; done; for ((i=5;i>3;i--)) { echo d$i; }
for ((a=1,b=10; a<b; a+=3,b--)); do echo $a $b; done
`,
    stdout: `0
1
2
d5
d4
1 10
4 9
7 8
`,
    status: 0,
  },
  {
    name: 'case patterns and fall through',
    script: `for x in apple banana cherry 'x y' ''; do case $x in a*) echo A;; b?n*) echo B;& zzz) echo fell;; [c-d]*) echo C;;& *rry) echo also;; 'x y') echo quoted;; '') echo empty;; *) echo none;; esac; done
case abc in (abc|def) echo paren;; esac; case x in y) ;; esac; echo $?
`,
    stdout: `A
B
fell
C
also
quoted
empty
paren
0
`,
    status: 0,
  },
  {
    name: 'case with variables and quotes',
    script: `p='a*'; case abc in $p) echo glob;; esac; case abc in "$p") echo lit;; *) echo no;; esac; case 'a*' in "$p") echo lit;; esac
`,
    stdout: `glob
no
lit
`,
    status: 0,
  },
  {
    name: 'groups and subshells',
    script: `x=1; { x=2; echo in; }; echo $x; (x=3; echo sub $x; exit 7); echo $x $?; { false; }; echo $?
`,
    stdout: `in
2
sub 3
2 7
1
`,
    status: 0,
  },
  {
    name: 'functions',
    script: `f() { echo "$# $1 $2"; return 3; }; f a 'b c'; echo $?; function g { echo g; }; g; function h() (x=5; echo $x); x=1; h; echo $x
f() { echo new; }; f; unset -f f; f 2>/dev/null; echo $?
`,
    stdout: `2 a b c
3
g
5
1
new
127
`,
    status: 0,
  },
  {
    name: 'local variables are dynamic',
    script: `x=global; f() { local x=f; g; echo "f sees $x"; }; g() { echo "g sees $x"; x=changed; }; f; echo $x
`,
    stdout: `g sees f
f sees changed
global
`,
    status: 0,
  },
  {
    name: 'function with redirections and recursion',
    script: `fact() { if (( $1 <= 1 )); then echo 1; else local r; r=$(fact $(($1-1))); echo $(( $1 * r )); fi; }; fact 6
o() { echo out; echo err >&2; } 2>&1; x=$(o); echo "$x"
`,
    stdout: `720
out
err
`,
    status: 0,
  },
  {
    name: 'FUNCNAME and LINENO',
    script: `f() { echo "\${FUNCNAME[*]}"; g; }
g() { echo "\${FUNCNAME[*]} \${BASH_LINENO[*]}"; echo $LINENO; }
f
echo $LINENO
`,
    stdout: `f main
g f main 1 3 0
2
4
`,
    status: 0,
  },
  {
    name: 'return in loops and nested functions',
    script: `f() { for i in 1 2 3; do [ $i = 2 ] && return $i; done; }; f; echo $?; g() { f; echo after $?; return; }; g; echo $?
`,
    stdout: `2
after 2
0
`,
    status: 0,
  },
  {
    name: 'exit status of functions',
    script: `f() { false; }; f; echo $?; g() { return; }; false; g; echo $?; h() { :; }; false; h; echo $?
`,
    stdout: `1
1
0
`,
    status: 0,
  },
  {
    name: 'select from input',
    script: `select x in a b c; do echo "[$x] $REPLY"; [ "$x" = b ] && break; done 2>/dev/null <<X
1
9

2
X
echo $?
`,
    stdout: `[a] 1
[] 9
[b] 2
0
`,
    status: 0,
  },
  {
    name: 'time leaves the status',
    script: `time false 2>/dev/null; echo $?; { time (exit 4); } 2>/dev/null; echo $?
`,
    stdout: `1
4
`,
    status: 0,
  },
  {
    name: 'conditional command',
    script: `[[ abc == a* ]] && echo 1; [[ abc == "a*" ]] || echo 2; [[ a < b && ! b < a ]] && echo 3; [[ -z '' || x ]] && echo 4; [[ abc =~ ^(a)(b) ]] && echo "\${BASH_REMATCH[@]}"; [[ 5 -gt 3 ]] && echo 5; [[ -n $nope ]]; echo $?
`,
    stdout: `1
2
3
4
ab a b
5
1
`,
    status: 0,
  },
  {
    name: 'arithmetic command',
    script: `((1)); echo $?; ((0)); echo $?; ((x=5, y=x*2)); echo $x $y; ((x++)); echo $x; let z=3+4 'w=z*2'; echo $z $w; let 0; echo $?
`,
    stdout: `0
1
5 10
6
7 14
1
`,
    status: 0,
  },
  {
    name: 'deep loops with arithmetic',
    script: `s=0; for ((i=1;i<=1000;i++)); do ((s+=i)); done; echo $s
`,
    stdout: `500500
`,
    status: 0,
  },
];
