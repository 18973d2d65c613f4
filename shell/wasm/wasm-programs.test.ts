import { expect, test } from 'vitest';
import { runScript } from '../fixtures/run-script.ts';
import { startProgramWorker } from '../node/start-program-worker.ts';
import { createPrograms } from '../programs/create-programs.ts';
import { MemoryMachine } from '../programs/fixtures/memory-call.ts';

const programs = createPrograms({ startWorker: startProgramWorker });

function machineWith(files: Record<string, string | Uint8Array> = {}): MemoryMachine {
  return new MemoryMachine(programs, files);
}

test.each([
  ['jq', ['-n', 'def f: f; f']],
  ['js', ['-e', 'for (;;);']],
  ['js', ['-e', 'try { for (;;); } finally { for (;;); }']],
  [
    'sqlite3',
    [':memory:', 'with recursive c(x) as (select 1 union all select x from c) select count(*) from c'],
  ],
])(
  '%s that computes on and on is ended when its process is killed, and others run meanwhile',
  async (name, args) => {
    const machine = machineWith();
    const control = new AbortController();
    const ended = machine.run([name, ...args], { signal: control.signal }).catch((error: unknown) => error);
    expect((await machine.run(['jq', '-n', '1'])).stdout).toBe('1\n');
    control.abort('SIGKILL');
    expect(await ended).toBe('SIGKILL');
  },
);

test.each([
  ['jq', ['-n', '[range(1e9)] | length'], /cannot allocate memory/],
  ['js', ['-e', 'const a = []; for (;;) a.push(new Array(1e5).fill(1))'], /out of memory/],
  [
    'sqlite3',
    [':memory:', 'create table t(b); insert into t select zeroblob(2e8); insert into t select b from t'],
    /out of memory/,
  ],
])('%s gets no more memory than its limit, and says so', async (name, args, message) => {
  const ran = await machineWith().run([name, ...args]);
  expect(ran.stderr).toMatch(message);
  expect(ran.exitCode).not.toBe(0);
});

test('a reader that goes away ends the program', async () => {
  const machine = machineWith();
  for (const argv of [
    ['jq', '-n', 'range(1e9)'],
    ['js', '-e', 'const text = "x".repeat(1e5); for (;;) process.stdout.write(text)'],
  ]) {
    expect((await machine.run(argv, { breaksAt: 100_000 })).exitCode).toBe(141);
  }
});

test('jq reads standard input where it asks for it, and only there', async () => {
  const machine = machineWith({ 'a.json': '{"a":1}' });
  const run = async (...args: string[]) => await machine.run(['jq', '-c', ...args], { stdin: '[1] [2]' });
  expect((await run('-n', '[inputs]')).stdout).toBe('[[1],[2]]\n');
  expect((await run('--arg', 'x', '1', '.')).stdout).toBe('[1]\n[2]\n');
  expect((await run('.', 'a.json', '/dev/stdin')).stderr).toMatch(/No such file/);
  expect((await run('.a', 'a.json')).stdout).toBe('1\n');
});

test('jq that begins anew for a file that it reads late writes each result once', async () => {
  const machine = machineWith({ 'm.jq': 'def two: 2;', 'big file': '1 '.repeat(40_000) });
  const ran = await machine.run(['jq', '-c', '-L', '.', 'import "m" as m; . + m::two', 'big file']);
  expect(ran).toMatchObject({ stdout: '3\n'.repeat(40_000), stderr: '', exitCode: 0 });
});

test('a database is changed by several calls; what another program wrote meanwhile is not lost', async () => {
  const ran = await runScript(`
    sqlite3 x.db 'create table t(a); insert into t values(1)'
    sqlite3 x.db 'insert into t values(2); begin; insert into t values(3)'
    sqlite3 x.db 'select group_concat(a) from t'
    { until [ -s out ]; do sleep 0.01; done; sqlite3 x.db 'insert into t values(4)'; echo 'insert into t values(5);'; } |
      sqlite3 -cmd 'select count(*) from t' x.db > out 2> err
    echo \${PIPESTATUS[1]}; cat err; sqlite3 x.db 'select group_concat(a) from t'
    cp x.db y.db; : > y.db-wal; sqlite3 y.db 'select 1'; echo x > y.db-wal; sqlite3 y.db 'select 1' 2>&1
    sqlite3 x.db "attach 'y.db' as y" 2>&1; sqlite3 x.db "attach ':memory:' as y"`);
  expect(ran.stdout).toBe(
    '1,2\n5\nError: database is locked: another program changed the file meanwhile, nothing was written (5)\n1,2,4\n1\n' +
      'Error: in prepare, /tmp/case/y.db-wal holds changes that this sqlite3 cannot apply: use a machine\n' +
      'Error: in prepare, ATTACH of a file is not there in this sqlite3: use a machine\n',
  );
});

test('a script of JavaScript works on the files of the sandbox, in the order of its changes', async () => {
  const ran = await runScript(`
    mkdir -p src; echo 'exports.twice = (x) => 2 * x' > src/lib.js; ln -s src link
    cat > main.js <<'END'
    const fs = require('node:fs'); const { twice } = require('./link/lib');
    fs.mkdirSync('out/deep', { recursive: true });
    fs.writeFileSync('out/deep/a', 'é' + twice(21)); fs.appendFileSync('out/deep/a', '!\\n');
    fs.renameSync('out/deep', 'out/moved'); fs.chmodSync('out/moved/a', 0o600); fs.symlinkSync('moved/a', 'out/l');
    fs.rmSync('src', { recursive: true }); fs.copyFileSync('out/l', 'copy');
    console.log(process.argv.slice(2), fs.readdirSync('out'), fs.existsSync('src'), fs.lstatSync('out/l').isSymbolicLink());
    try { fs.readFileSync('none') } catch (error) { console.error(error.message) }
    process.exitCode = 7;
END
    js main.js 'a b' 2>&1; echo $?; cat out/l copy; stat -c %a out/moved/a; ls -F out; ls src 2>&1
    echo '{"b":1}' | js -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).b'; echo rest | { js -e 1; cat; }
    echo 'import { join } from "path"; const x = await 5; console.log(join("a", "..", "b"), x)' > m.mjs; js m.mjs
    js -e 'async function main() { await null; throw new Error("late") }; main()' 2>&1 | head -n 1; node -v; echo $?`);
  expect(ran.stdout).toBe(
    "[ 'a b' ] [ 'l', 'moved' ] false true\nENOENT: no such file or directory, open 'none'\n7\né42!\né42!\n600\nl@\nmoved/\n" +
      "ls: cannot access 'src': No such file or directory\n1\nrest\nb 5\nUncaught Error: late\n127\n",
  );
});

test('programs in threads can reach nothing of this process', async () => {
  const probe =
    'Object.getOwnPropertyNames(globalThis).filter((name) => /fetch|Worker|XML|Socket|postMessage|WebAssembly/.test(name))';
  expect((await machineWith().run(['js', '-p', probe])).stdout).toBe('[]\n');
  const own = 'Object.getOwnPropertyNames(globalThis).filter((name) => name.startsWith("__")).join()';
  expect((await machineWith().run(['js', '-p', own])).stdout).toBe(
    '__filename,__dirname,__modules,__print,__runTimers\n',
  );
  const outside =
    'process.constructor.constructor("return typeof process.binding + typeof require(`fs`).open")()';
  expect((await machineWith().run(['js', '-p', outside])).stdout).toBe('undefinedundefined\n');
});

test('B-5 js works beside a file that is too large for its copy, and is held to its memory when it writes', async () => {
  const ran = await runScript(`truncate -s 20M large
    js -e 'const fs = require("fs"); console.log(fs.statSync("large").size); try { fs.readFileSync("large") } catch (error) { console.log(error.code) }'
    js -e 'const fs = require("fs"); const piece = Buffer.alloc(2 ** 23); try { for (let n = 0; n < 100; n++) fs.writeFileSync("out" + n, piece) } catch (error) { console.log(error.code) }' 2>&1 | head -c 200; ls out* | wc -l`);
  const [size, large, held = ''] = ran.stdout.split('\n');
  expect([size, large]).toEqual(['20971520', 'EFBIG']);
  expect(held).toMatch(/ENOSPC|bytes of changes wait/);
});
