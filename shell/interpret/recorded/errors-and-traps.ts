import type { RecordedScript } from './recorded-script.ts';

export const errorsAndTraps: readonly RecordedScript[] = [
  {
    name: 'errexit ends the script',
    script: `set -e; echo a; false; echo b
`,
    stdout: `a
`,
    status: 1,
  },
  {
    name: 'errexit is off in conditions',
    script: `set -e; if false; then :; fi; while false; do :; done; false || true; false && true; ! true; ! false; echo end
`,
    stdout: `end
`,
    status: 0,
  },
  {
    name: 'errexit in functions called from conditions',
    script: `set -e; f() { false; echo here; }; f || echo no; f && echo y; if f; then echo z; fi; ! f; echo end
`,
    stdout: `here
here
y
here
z
here
end
`,
    status: 0,
  },
  {
    name: 'errexit and subshells',
    script: `set -e; (false; echo a) || echo b; x=$(false; echo cs); echo $x; { false && true; }; echo after; (exit 3); echo no
`,
    stdout: `a
cs
after
`,
    status: 3,
  },
  {
    name: 'errexit and && lists',
    script: `set -e; false && true; echo ok; true && false; echo no
`,
    stdout: `ok
`,
    status: 1,
  },
  {
    name: 'errexit and assignments',
    script: `set -e; x=$(true); echo a; local_() { local y=$(false); echo b; }; local_; x=$(false); echo no
`,
    stdout: `a
b
`,
    status: 1,
  },
  {
    name: 'errexit and pipelines',
    script: `set -e; false | true; echo a; set -o pipefail; false | true; echo b
`,
    stdout: `a
`,
    status: 1,
  },
  {
    name: 'errexit with inherit_errexit',
    script: `set -e; shopt -s inherit_errexit; x=$(false; echo cs); echo "$x"
`,
    stdout: '',
    status: 1,
  },
  {
    name: 'errexit and command substitution in arguments',
    script: `set -e; echo $(false) a; echo "$(exit 3)" b; for i in $(false); do :; done; echo end
`,
    stdout: `a
 b
end
`,
    status: 0,
  },
  {
    name: 'errexit and arithmetic',
    script: `set -e; ((1)); ((0)) || echo x; [[ a == b ]] || echo y; ((0)); echo no
`,
    stdout: `x
y
`,
    status: 1,
  },
  {
    name: 'errexit turned off again',
    script: `set -e; set +e; false; echo a; f() { set -e; }; f; false; echo b
`,
    stdout: `a
`,
    status: 1,
  },
  {
    name: 'nounset',
    script: `set -u; echo \${x-default}; echo "\${x:-d}" $# "$@"; (echo $x) 2>/dev/null; echo $?; y=; echo "[$y]"; echo $nope 2>/dev/null; echo unreachable
`,
    stdout: `default
d 0
1
[]
`,
    status: 1,
  },
  {
    name: 'pipefail and PIPESTATUS',
    script: `(exit 1) | (exit 2) | true; echo $? \${PIPESTATUS[@]}; set -o pipefail; (exit 1) | (exit 2) | true; echo $?; true; echo \${PIPESTATUS[*]}; ! false | true; echo $? \${PIPESTATUS[*]}
`,
    stdout: `0 1 2 0
2
0
0 1 0
`,
    status: 0,
  },
  {
    name: 'command not found',
    script: `nosuchcommand 2>/dev/null; echo $?; ./nosuch 2>/dev/null; echo $?; /tmp 2>/dev/null; echo $?; echo x > noexec; ./noexec 2>/dev/null; echo $?
`,
    stdout: `127
127
126
126
`,
    status: 0,
  },
  {
    name: 'command_not_found_handle',
    script: `command_not_found_handle() { echo "handled $*"; return 5; }; nosuch a b; echo $?
`,
    stdout: `handled nosuch a b
5
`,
    status: 0,
  },
  {
    name: 'division by zero leaves the line',
    script: `echo $((1/0)); echo same line
echo next $?
`,
    stdout: `next 1
`,
    status: 0,
  },
  {
    name: 'readonly assignment leaves the line',
    script: `readonly x=1; x=2; echo same line
echo next $? $x
`,
    stdout: `next 1 1
`,
    status: 0,
  },
  {
    name: 'bad substitution and unset with message',
    script: `(echo \${x?msg}) 2>/dev/null; echo $?; (: \${y:?}) 2>/dev/null; echo $?
`,
    stdout: `1
1
`,
    status: 0,
  },
  {
    name: 'syntax error after commands that run',
    script: `echo before
echo a; if; then
echo never
`,
    stdout: `before
`,
    status: 2,
  },
  {
    name: 'eval of a syntax error',
    script: `eval 'fi' 2>/dev/null; echo $?; eval 'echo a; )' 2>/dev/null; echo $?; eval '' ; echo $?
`,
    stdout: `2
2
0
`,
    status: 0,
  },
  {
    name: 'exit in places',
    script: `(exit 5); echo $?; x=$(exit 6); echo $?; f() { exit 7; }; (f); echo $?; { exit 8; }; echo no
`,
    stdout: `5
6
7
`,
    status: 8,
  },
  {
    name: 'exit from a pipeline part and a function',
    script: `f() { exit 3; }; f | true; echo $?; true | f; echo $?; f; echo no
`,
    stdout: `0
3
`,
    status: 3,
  },
  {
    name: 'return outside functions',
    script: `return 3 2>/dev/null; echo $?
`,
    stdout: `2
`,
    status: 0,
  },
  {
    name: 'break outside loops',
    script: `break 2>/dev/null; echo $?; f() { break 2>/dev/null; echo in; }; for i in 1 2; do f; echo $i; done
`,
    stdout: `0
in
1
in
2
`,
    status: 0,
  },
  {
    name: 'exit statuses wrap',
    script: `(exit 256); echo $?; (exit 257); echo $?; (exit -1); echo $?; f() { return 300; }; f; echo $?
`,
    stdout: `0
1
255
44
`,
    status: 0,
  },
  {
    name: 'ERR trap',
    script: `trap 'echo err $?' ERR; false; f() { (exit 3); echo in; }; f; (false; echo sub); ! true; true && false; false || true; if false; then :; fi; x=$(false); [[ a == b ]]; ((0)); false | true; true | false; echo end
`,
    stdout: `err 1
in
sub
err 1
err 1
err 1
err 1
err 1
end
`,
    status: 0,
  },
  {
    name: 'ERR trap with errtrace',
    script: `set -E; trap 'echo err in \${FUNCNAME[0]:-main}' ERR; f() { false; true; }; f; (false)
`,
    stdout: `err in f
err in main
err in main
`,
    status: 1,
  },
  {
    name: 'ERR trap and errexit',
    script: `set -e; trap 'echo err; trap - ERR' ERR; echo a; false; echo no
`,
    stdout: `a
err
`,
    status: 1,
  },
  {
    name: 'EXIT trap',
    script: `trap 'echo bye $?' EXIT; echo hi; (trap 'echo sub' EXIT; exit 2); echo $?; exit 3
`,
    stdout: `hi
sub
2
bye 3
`,
    status: 3,
  },
  {
    name: 'EXIT trap that exits',
    script: `trap 'echo t; exit 9' EXIT; exit 1
`,
    stdout: `t
`,
    status: 9,
  },
  {
    name: 'EXIT trap after errexit',
    script: `set -e; trap 'echo st $?' EXIT; false
`,
    stdout: `st 1
`,
    status: 1,
  },
  {
    name: 'a trapped signal that fails a command under errexit',
    script: `set -e; trap 'echo exit; ls -d /' EXIT; trap 'echo term; exit 3' TERM; (kill -TERM $$; exit 1); echo no
`,
    stdout: `term
exit
/
`,
    status: 3,
  },
  {
    name: 'DEBUG trap',
    script: `trap 'echo "[$BASH_COMMAND]"' DEBUG; x=1; echo $x; for i in 1 2; do :; done; trap - DEBUG; echo end
`,
    stdout: `[x=1]
[echo $x]
1
[for i in 1 2]
[:]
[for i in 1 2]
[:]
[trap - DEBUG]
end
`,
    status: 0,
  },
  {
    name: 'RETURN trap',
    script: `f() { trap 'echo ret' RETURN; echo body; }; f; g() { echo g; }; g
`,
    stdout: `body
ret
g
`,
    status: 0,
  },
  {
    name: 'traps are reset in subshells',
    script: `trap 'echo x' USR1; trap 'echo e' EXIT; (trap; echo --); trap; trap '' INT; (trap)
`,
    stdout: `trap -- 'echo e' EXIT
trap -- 'echo x' SIGUSR1
--
trap -- 'echo e' EXIT
trap -- 'echo x' SIGUSR1
trap -- 'echo e' EXIT
trap -- '' SIGINT
trap -- 'echo x' SIGUSR1
e
`,
    status: 0,
  },
  {
    name: 'trap listing and removal',
    script: `trap 'echo a b' EXIT INT TERM; trap -p INT; trap - INT TERM; trap; trap '' HUP; trap -p; trap - EXIT; trap 'x' NOSUCH 2>/dev/null; echo $?
`,
    stdout: `trap -- 'echo a b' SIGINT
trap -- 'echo a b' EXIT
trap -- 'echo a b' EXIT
trap -- '' SIGHUP
1
`,
    status: 0,
  },
  {
    name: 'signals to oneself',
    script: `trap 'echo got $?' USR1; kill -USR1 $$; echo after; trap 'echo term' TERM; kill $$; kill -s TERM $$; echo end
`,
    stdout: `got 0
after
term
term
end
`,
    status: 0,
  },
  {
    name: 'ignored signals',
    script: `trap '' TERM; kill $$; echo alive; (kill $BASHPID; echo sub alive)
`,
    stdout: `alive
sub alive
`,
    status: 0,
  },
  {
    name: 'a subshell killed by a signal',
    script: `(kill -9 $BASHPID; echo no) 2>/dev/null; echo $?; (kill -TERM $BASHPID) 2>/dev/null; echo $?; bash -c 'kill -INT $$; echo no'; echo $?
`,
    stdout: `137
143
130
`,
    status: 0,
  },
  {
    name: 'wait for a killed job',
    script: `sleep 100 & kill $!; wait $! 2>/dev/null; echo $?
`,
    stdout: `143
`,
    status: 0,
  },
];
