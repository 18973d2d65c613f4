import { expect, test } from 'vitest';
import { createSandbox, run } from '../../fixtures/run-script.ts';
import { createPrograms } from '../create-programs.ts';
import { MemoryMachine } from '../fixtures/memory-call.ts';

const programs = createPrograms();

/** What mawk of 2020 has otherwise than gawk, POSIX and later mawks, or has not. */
test.each([
  [
    String.raw`BEGIN { print gensub(/(a)(b)/, "\\2\\1", "g", "abab"), gensub(/a/, "X", 2, "aaa") }`,
    'baba aXa\n',
  ],
  [
    'BEGIN { if (match("foobar", /o(o)(b)/, m)) print m[0], m[1], m[2], m[1, "start"], m[0, "length"] }',
    'oob o b 2 3\n',
  ],
  ['BEGIN { a["x"] = "b"; a["y"] = "a"; n = asort(a); print n, a[1], a[2] }', '2 a b\n'],
  ['BEGIN { a["x"]; a["w"]; n = asorti(a, b); print n, b[1], b[2] }', '2 w x\n'],
  ['BEGIN { print 2 ** 3; x = 2; x **= 3; print x }', '8\n8\n'],
  ['func f(x) { return x + 1 } BEGIN { print f (1) }', '2\n'],
  ['function n(a) { return length(a) } BEGIN { q["a"]; q["b"]; print n(q) }', '2\n'],
  [
    'BEGIN { print strtonum("0x1F"), strtonum("017"), and(12, 10), or(12, 10), xor(12, 10), lshift(1, 4), rshift(16, 2) }',
    '31 15 8 14 6 16 4\n',
  ],
  [
    'BEGIN { print strftime("%Y-%m-%d %H:%M", 86400, 1), mktime("1970 01 02 00 00 00") }',
    '1970-01-02 00:00 86400\n',
  ],
  [
    'BEGIN { print substr("hello", 0, 2), substr("hello", -1, 3), substr("hello", 1.5, 1), substr("hello", 2.5, 2.5) }',
    'he hel h el\n',
  ],
  ['BEGIN { print length("é😀x"), substr("é😀x", 2, 1), index("é😀x", "x"), toupper("é") }', '3 😀 3 É\n'],
  ['BEGIN { printf "%3s|%-3s|%c|%.1s|\\n", "é", "é", 233, "éa" }', '  é|é  |é|é|\n'],
  ['BEGIN { print "aaa" ~ /^a{3}$/, "aa" ~ /^a{3}$/, "{" ~ /{/ }', '1 0 1\n'],
  [String.raw`BEGIN { print "a b" ~ /\<b\>/, "ab" ~ /\yb/, "a1_" ~ /^\w+$/, "x y" ~ /x\sy/ }`, '1 0 1 1\n'],
  [
    'BEGIN { print 2 ^ 53, 2 ^ 31, 1e15, 123456789012 "" }',
    '9007199254740992 2147483648 1000000000000000 123456789012\n',
  ],
  ['BEGIN { x = 0; print -x, -0 "" }', '0 0\n'],
  [String.raw`BEGIN { printf "%s %s\n", "a/b" ~ "a\/b", "a\/b" }`, '1 a/b\n'],
  ['BEGIN { CONVFMT = "%d"; a[12.7]; for (k in a) print k }', '12\n'],
  ['{ FS = ":"; print $1 } END { RS = "" }', 'a b:c\n', 'a\n'],
  ['BEGIN { RS = ""; FS = ":" } { print NF, $2 }', '\n\na:b\nc\n\nd:e\n', '3 b\n2 e\n'],
  ['{ $7 = ""; print NF; NF = 2; $0 = $0; print NF, $0 }', 'a b c\n', '7\n2 a b\n'],
  ['{ print ($1 == 0), ($1 == ""), (-1 < $2), NF }', '\n', '0 1 0 0\n'],
  ['{ print $1 + 0, $1 == 0, $2 == 0 }', '0x10 -0\n', '0 0 1\n'],
] as readonly (readonly [string, string, string?])[])('%s', async (program = '', first = '', second) => {
  const machine = new MemoryMachine(programs);
  const ran = await machine.run(['awk', program], { stdin: second === undefined ? '' : first });
  expect(ran).toMatchObject({ stdout: second ?? first, stderr: '', exitCode: 0 });
});

test.each([
  [['-Ft', '{ print $2 }'], 'c\n'],
  [['-F', 't', '{ print $2 }'], 'c\n'],
  [['--field-separator=\\t', '{ print $1 }'], 'a b\n'],
  [['--assign', 'x=1', '--', 'BEGIN { print x }'], '1\n'],
  [['-e', 'BEGIN { print 1 }', '-e', 'BEGIN { print 2 }'], '1\n2\n'],
  [['--re-interval', 'BEGIN { print ARGV[1] }', '-x'], '-x\n'],
])('options as gawk and POSIX have them: %j', async (args, stdout) => {
  const machine = new MemoryMachine(programs);
  expect(await machine.run(['awk', ...args], { stdin: 'a b\tc\n' })).toMatchObject({ stdout, stderr: '' });
});

test.each([
  ['BEGIN { print 1 / 0 }', 'run time error: division by zero\n\tFILENAME="" FNR=0 NR=0'],
  ['{ print 1 % ($1 - 1) }', 'run time error: division by zero in %\n\tFILENAME="" FNR=1 NR=1'],
  [
    'BEGIN { printf "%d %s", 1 }',
    'run time error: not enough arguments passed to printf("%d %s")\n\tFILENAME="" FNR=0 NR=0',
  ],
  ['BEGIN { f(1) }', 'line 1: function f never defined'],
  ['BEGIN {\n\n print (1, 2) }\n{', 'line 4: missing } near end of file'],
  ['BEGIN { $(-1) = 2 }', 'run time error: negative field index $-1\n\tFILENAME="" FNR=0 NR=0'],
  ['BEGIN { $1e9 = 2 }', 'run time error: more than 1000000 fields\n\tFILENAME="" FNR=0 NR=0'],
  [
    'BEGIN { print "a" ~ "(" }',
    'run time error: regular expression compile failed (Unmatched ( or \\()\n(\n\tFILENAME="" FNR=0 NR=0',
  ],
  [
    'function f(n) { return f(n + 1) } BEGIN { f(1) }',
    'run time error: function calls nested too deeply\n\tFILENAME="" FNR=0 NR=0',
  ],
  [`BEGIN { print ${'('.repeat(5000)}1 }`, 'line 1: expression nested too deeply'],
  [`BEGIN { x = ${'-'.repeat(1)}${'2^'.repeat(5000)}2 }`, 'line 1: expression nested too deeply'],
  [`BEGIN { x = 1${'+1'.repeat(5000)} }`, 'line 1: expression nested too deeply'],
  [`BEGIN ${'{'.repeat(5000)}`, 'line 1: statements nested too deeply'],
  ['@include "x"', "line 1: unexpected character '@'"],
])('what is wrong is told, with status 2: %.60s', async (program, message) => {
  const machine = new MemoryMachine(programs);
  const ran = await machine.run(['awk', program], { stdin: '1\n' });
  expect(ran).toMatchObject({ stderr: `awk: ${message}\n`, exitCode: 2 });
});

test.each([
  ['BEGIN { s = "x"; while (1) s = s s }', 'valueLength'],
  ['BEGIN { while (1) a[i++] }', 'arrayElements'],
  ['BEGIN { s = sprintf("%1000000s", "x"); while (1) a[i++] = s i }', 'valueLength'],
  ['BEGIN { printf "%999999999d", 1 }', 'valueLength'],
  ['BEGIN { s = sprintf("%9000s", ""); while (1) gsub(/ /, sprintf("%1000s", ""), s) }', 'valueLength'],
  ['BEGIN { s = sprintf("%600000s", ""); gsub(/ /, "a a a", s); $0 = s; print NF }', 'words'],
  ['BEGIN { s = sprintf("%9000000s", ""); print split(s, a, "") }', 'words'],
])('there is a bound: %s', async (program, limit) => {
  await expect(new MemoryMachine(programs).run(['awk', program])).rejects.toMatchObject({ limit });
});

test.each([
  ['a loop', 'BEGIN { while (1); }'],
  ['a loop of calls', 'function f() { return 1 } BEGIN { while (f()); }'],
  ['a long substitution', 'BEGIN { s = sprintf("%9000000s", ""); while (1) gsub(/ /, " ", s) }'],
  ['what prints', 'BEGIN { while (1) print }'],
])('others get the thread during %s, and it ends when it is killed', async (_, program) => {
  const killer = new AbortController();
  const ran = new MemoryMachine(programs).run(['awk', program], { signal: killer.signal, breaksAt: 1e9 });
  const timer = setTimeout(() => killer.abort('SIGKILL'), 20);
  await expect(ran).rejects.toBe('SIGKILL');
  clearTimeout(timer);
});

test('it ends when nobody reads what it prints', async () => {
  const machine = new MemoryMachine(programs);
  const ran = await machine.run(['awk', 'BEGIN { while (1) print "line" }'], { breaksAt: 300_000 });
  expect(ran.exitCode).toBe(141);
});

test('an expression that would take for ever elsewhere ends', async () => {
  const machine = new MemoryMachine(programs);
  const stdin = `${'a'.repeat(5000)}!\n`;
  expect((await machine.run(['awk', '/^(a+)+$/ { n++ } END { print n + 0 }'], { stdin })).stdout).toBe('0\n');
});

test('bytes that are not UTF-8 pass through unchanged', async () => {
  const stdin = Uint8Array.of(0x61, 0xff, 0x20, 0xc3, 0x0a, 0xc3, 0xa9, 0x0a);
  const machine = new MemoryMachine(programs);
  expect((await machine.run(['awk', '{ $1 = $1; print }'], { stdin })).bytes).toEqual(stdin);
  expect((await machine.run(['awk', String.raw`BEGIN { printf "\303\251\377" }`])).bytes).toEqual(
    Uint8Array.of(0xc3, 0xa9, 0xff),
  );
});

test('records and characters that are longer than a piece of input are whole', async () => {
  const machine = new MemoryMachine(programs);
  const long = `${'é'.repeat(100_000)}\n`;
  expect((await machine.run(['awk', '{ print length }'], { stdin: `x${long}${long}` })).stdout).toBe(
    '100001\n100000\n',
  );
  const pieces = `${'a'.repeat(65_535)}--b`;
  expect((await machine.run(['awk', 'BEGIN { RS = "-+" } { print length }'], { stdin: pieces })).stdout).toBe(
    '65535\n1\n',
  );
});

test.each([
  ['{ print | "sort" } END { print "first" }', 'first\n1\n2\n3\n'],
  ['{ print | "sort -r" } END { close("sort -r"); print "last" }', '3\n2\n1\nlast\n'],
  ['BEGIN { while (("echo a; echo b" | getline l) > 0) print "got " l }', 'got a\ngot b\n'],
  ['BEGIN { "echo x y" | getline; print $2, NF, NR; "echo z" | getline w; print w, NR }', 'y 2 1\nz 2\n'],
  ['BEGIN { while ("echo 1; echo 2" | getline > 0) n++; print n }', '2\n'],
  ['BEGIN { "exit 3" | getline; print close("exit 3"), close("nothing") }', '3 -1\n'],
  ['BEGIN { print "x" | "cat; exit 5"; print close("cat; exit 5") }', 'x\n5\n'],
  ['BEGIN { printf "a"; r = system("printf b; exit 7"); print r }', 'ab7\n'],
  ['{ system("echo sys " $1); print "p" $1 }', 'sys 1\np1\nsys 3\np3\nsys 2\np2\n'],
  ['BEGIN { printf "a"; fflush(); print "b" | "cat"; close("cat"); print "c" }', 'ab\nc\n'],
  ['BEGIN { print "x" > "/dev/stderr"; print "y" }', 'y\n'],
  ['BEGIN { getline x < "/dev/stdin"; getline y < "-"; getline; print x, y, $0 }', '1 3 2\n'],
  ['BEGIN { system("read x; echo got $x") }', 'got 1\n'],
  ['BEGIN { while (i < 100000) print i++ | "head -n 1"; close("head -n 1"); print "on" }', '0\non\n'],
  ['BEGIN { "yes" | getline x; print x, close("yes") }', 'y 141\n'],
  [
    'BEGIN { print ENVIRON["HOME"]; print toupper(substr("abc", 2)) > "f"; close("f"); "cat f" | getline z; print z }',
    '/home/user\nBC\n',
  ],
])('commands: %s', async (program, stdout) => {
  const ran = await run(createSandbox(), ['awk', program], { stdin: '1\n3\n2\n' });
  expect(ran).toMatchObject({ stdout, exitCode: 0 });
});

test('a program may be several files, one of them from a pipe', async () => {
  const script = 'awk -f <(echo "function f(x) { return x x }") -f /dev/stdin <<< "BEGIN { print f(1) }"';
  expect((await run(createSandbox(), ['bash', '-c', script])).stdout).toBe('11\n');
});

test('a pipeline ends when awk has seen enough', async () => {
  const script = 'yes | awk "{ print } NR == 2 { exit }"; seq 1000000 | awk "{ print }" | head -n 1';
  expect((await run(createSandbox(), ['bash', '-c', script])).stdout).toBe('y\ny\n1\n');
});

test('it prints what it has before it waits for more', async () => {
  const script = '{ echo a; sleep 0.05; echo b; } | awk "{ print }" | { read -r x; echo "$x first"; cat; }';
  expect((await run(createSandbox(), ['bash', '-c', script])).stdout).toBe('a first\nb\n');
});
