import { expect, it } from 'vitest';
import { createSandbox, run, type Sandbox, scriptDirectory } from './fixtures/run-script.ts';
import { BytesInput } from './io/bytes-input.ts';
import { CallbackOutput } from './io/callback-output.ts';
import { CaptureOutput } from './io/capture-output.ts';
import { QueueInput } from './io/queue-input.ts';
import type { ProcessStart } from './shell-processes.ts';
import { Terminal } from './terminal/terminal.ts';
import { decodeText, encodeText } from './text.ts';

const environment = new Map([['PATH', '/usr/bin:/bin']]);

/** Starts a command whose output is told as it comes. */
function start({ processes }: Sandbox, command: string, options: Partial<ProcessStart> = {}) {
  const { promise: said, resolve: say } = Promise.withResolvers<string>();
  let text = '';
  const stdout = new CallbackOutput({
    onBytes: (bytes) => {
      text += decodeText(bytes);
      say(text);
    },
  });
  const started = processes.start({
    argv: ['bash', '-c', command],
    environment,
    cwd: scriptDirectory,
    uid: 0,
    gid: 0,
    stdin: new BytesInput(new Uint8Array(0)),
    stdout,
    stderr: new CaptureOutput(),
    ...options,
  });
  return { ...started, said, text: () => text };
}

it('tells output as it is written, and takes input as it comes', async () => {
  const sandbox = createSandbox();
  const stdin = new QueueInput();
  const echo = start(sandbox, 'echo ready; while read line; do echo "<$line>"; done; echo done', { stdin });
  expect(await echo.said).toBe('ready\n');
  stdin.feed(encodeText('one\ntwo\n'));
  stdin.end();
  expect(await echo.ended).toMatchObject({ exitCode: 0, signal: undefined });
  expect(echo.text()).toBe('ready\n<one>\n<two>\ndone\n');
});

it.each([
  'while :; do :; done',
  'sleep 1000',
  'sleep 1000 | cat',
  'read x < <(sleep 1000)',
  'x=$(sleep 1000)',
  '(sleep 1000)',
])('ends %s and all that it started by a signal', async (command) => {
  const sandbox = createSandbox();
  const running = start(sandbox, `echo started; ${command}`);
  await running.said;
  running.kill('SIGTERM');
  expect(await running.ended).toEqual({ exitCode: 143, signal: 'SIGTERM' });
  expect(sandbox.processes.list()).toEqual([]);
});

it('lets a trap decide what a signal does, but not SIGKILL', async () => {
  const sandbox = createSandbox();
  const trapped = start(sandbox, `trap 'echo caught; exit 7' TERM; echo started; while :; do :; done`);
  await trapped.said;
  trapped.kill('SIGTERM');
  expect(await trapped.ended).toMatchObject({ exitCode: 7, signal: undefined });
  expect(trapped.text()).toBe('started\ncaught\n');
  const stubborn = start(sandbox, `trap '' TERM; echo started; while :; do :; done`);
  await stubborn.said;
  stubborn.kill('SIGTERM');
  stubborn.kill('SIGKILL');
  expect(await stubborn.ended).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
});

it('does not wait for background jobs of a shell that has ended, and keeps them', async () => {
  const sandbox = createSandbox();
  const { exitCode } = await start(sandbox, 'sleep 1000 & echo started').ended;
  expect(exitCode).toBe(0);
  expect(sandbox.processes.list().map(({ command }) => command)).toEqual(['sleep 1000']);
  await sandbox.processes.close();
  expect(sandbox.processes.list()).toEqual([]);
});

it('ends a pipeline when its last part has enough', async () => {
  const result = await run(createSandbox(), ['bash', '-c', `yes | head -2; echo \${PIPESTATUS[@]}`]);
  expect(result.stdout).toBe('y\ny\n141 0\n');
});

it('runs programs by their names and paths, and scripts by their interpreters', async () => {
  const sandbox = createSandbox();
  const script = `${scriptDirectory}/tool`;
  sandbox.files.writeFile(script, encodeText('#!/usr/bin/env bash\necho "$0 $1"\n'), {
    uid: 0,
    gid: 0,
    umask: 0o022,
  });
  sandbox.files.chmod(script, 0o755);
  expect(await run(sandbox, ['echo', 'a', 'b'])).toMatchObject({ stdout: 'a b\n', exitCode: 0 });
  expect(await run(sandbox, ['/bin/echo', 'c'])).toMatchObject({ stdout: 'c\n' });
  expect(await run(sandbox, ['./tool', 'x'])).toMatchObject({ stdout: './tool x\n' });
  await expect(run(sandbox, ['nosuch'])).rejects.toMatchObject({ code: 'ENOENT' });
});

it.each([
  ['f() { f; }; f', 'callDepth'],
  ['x=a; while :; do x=$x$x; done', 'valueLength'],
  ['s() { ( s ); }; s; echo $?', undefined],
])('stops %s', async (command, limit) => {
  const result = await run(createSandbox(), ['bash', '-c', command]);
  expect(result.limit).toBe(limit);
  if (limit === undefined) expect(result.stdout).toBe('126\n');
  else expect(result.exitCode).toBe(126);
});

it('ends a fork bomb when it is closed', async () => {
  const sandbox = createSandbox();
  const bomb = start(sandbox, ':(){ :|:& };:; echo started; wait');
  await bomb.said;
  await sandbox.processes.close();
  expect(sandbox.processes.list()).toEqual([]);
});

it.each(['>', '>>', '<>'])(
  'lets who inherits a file of %s write on when its shell is killed',
  async (operator) => {
    const sandbox = createSandbox();
    const writing = `exec 1${operator} log; (while :; do echo x; sleep 0.01; done) & sleep 1000`;
    const running = start(
      sandbox,
      `bash -c '${writing}' & until [ -s log ]; do sleep 0.01; done
    kill -9 $!; wait; echo killed; sleep 1000`,
    );
    await running.said;
    const written = () => sandbox.files.stat(`${scriptDirectory}/log`).sizeBytes;
    const before = written();
    await expect.poll(written).toBeGreaterThan(before);
    await sandbox.processes.close();
  },
);

/** A shell at a terminal. `until` waits for what is shown next. */
function startAtTerminal({ processes }: Sandbox) {
  let shown = '';
  let look = () => {};
  const terminal: Terminal = new Terminal(
    { columns: 80, rows: 24 },
    {
      number: 0,
      show: async (bytes) => {
        shown += decodeText(bytes);
        look();
      },
      signal: (name) => started.interrupt(name),
    },
  );
  const [stdin, stdout, stderr] = [terminal, terminal, terminal];
  const started = processes.start({
    argv: ['bash'],
    environment: new Map([...environment, ['PS1', '$ ']]),
    cwd: scriptDirectory,
    uid: 0,
    gid: 0,
    stdin,
    stdout,
    stderr,
  });
  const until = (text: string) =>
    new Promise<string>((resolve) => {
      look = () => {
        const end = shown.indexOf(text) + text.length;
        if (end < text.length) return;
        resolve(shown.slice(0, end));
        shown = shown.slice(end);
      };
      look();
    });
  return { ...started, terminal, until, type: (text: string) => terminal.input(encodeText(text)) };
}

it('shows nothing of what `read -s` reads at a terminal, and shows what comes after it', async () => {
  const { terminal, until, type, ended } = startAtTerminal(createSandbox());
  await until('$ ');
  await type("read -sp 'Pass''word: ' x; echo; echo \"<$x>\"\r");
  await until('Password: ');
  type('secret\r');
  expect(await until('$ ')).toMatch(/^\r\n<secret>\r\n/);
  expect(terminal.echo).toBe(true);
  type('exit\r');
  await ended;
});

it('gives up a `read` at a prompt by Ctrl-C, whatever it has set', async () => {
  const { terminal, until, type, ended } = startAtTerminal(createSandbox());
  await until('$ ');
  await type("read -sp 'Pass''word: '; echo later\r");
  await until('Password: ');
  type('sec\x03');
  expect(await until('$ ')).not.toContain('later');
  expect(terminal.echo).toBe(true);
  type('exit $?\r');
  expect(await ended).toMatchObject({ exitCode: 130 });
});

/** More than a terminal holds of what nobody has read. */
const pasted = Array.from({ length: 300 }, (_, at) => `line ${at} ${'x'.repeat(50)}`);

it('takes all of a paste that is longer than what a terminal holds, as it is read', async () => {
  const sandbox = createSandbox();
  const { until, type, ended } = startAtTerminal(sandbox);
  await until('$ ');
  await type('cat > pasted\r');
  await type(`${pasted.join('\r')}\r`);
  await type('\x04');
  await until('$ ');
  await type('exit\r');
  await ended;
  const file = sandbox.files.readFile(`${scriptDirectory}/pasted`);
  expect(decodeText(file)).toBe(`${pasted.join('\n')}\n`);
});

it('holds a paste back that nobody reads, until Ctrl-C drops it and ends what runs', async () => {
  const { until, type, ended } = startAtTerminal(createSandbox());
  await until('$ ');
  await type('sleep 1000; echo slept\r');
  await until('slept');
  const pasting = type(`${pasted.join('\r')}\r`);
  await until('line 1 ');
  await type('\x03');
  await pasting;
  await until('^C');
  await type('\x15');
  await type('exit 7\r');
  expect(await ended).toMatchObject({ exitCode: 7 });
});

it('signals by Ctrl-C at the end of a paste that is longer than what a terminal holds', async () => {
  const { until, type, ended } = startAtTerminal(createSandbox());
  await until('$ ');
  await type('sleep 1000; echo slept\r');
  await until('slept');
  await type(`${'abc\n'.repeat(3_000)}\x03`);
  await until('^C');
  await type('\x15');
  await type('exit 7\r');
  expect(await ended).toMatchObject({ exitCode: 7 });
});

it.each([
  ['none | cat', 'none'],
  ['x=$(none); echo', 'none'],
  ['for n in 1 2; do none; done; true', 'none none'],
  ["sh -c 'none; true'", 'none'],
  ['f() { none | cat; }; f', 'none'],
  ['(none; true) & wait', 'none'],
  ['cat < <(none)', 'none'],
  ['command none; env none; echo 1 | xargs none; true', 'none none none'],
  ['/usr/bin/none; ./none; true', '/usr/bin/none'],
  ["printf '#!/usr/bin/none\\n' >script; chmod +x script; ./script; true", '/usr/bin/none'],
  ['none || true', ''],
  ['if none; then :; fi; while none | cat; false; do :; done', ''],
  ["! none; ! (none); if sh -c 'none; true'; then :; fi", ''],
  ['x=$(none) || true; [[ $(none) ]] || true', ''],
  ['command -v none; type none; hash none; which none; true', ''],
  ['command_not_found_handle() { echo "$1?"; }; none', ''],
])(
  'tells of programs that it has not found, where the script does not allow for that: %s',
  async (script, names) => {
    const missing: string[] = [];
    const { ended } = start(createSandbox(), script, { onMissing: (name) => missing.push(name) });
    await ended;
    expect(missing.join(' ')).toBe(names);
  },
);
