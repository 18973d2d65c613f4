import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandMark, CommandMarks } from '../../protocol/init/command-marks.ts';
import type { InitClient } from '../../protocol/init/init-client.ts';
import type { InitProcess } from '../../protocol/init/init-process.ts';
import { Agent, buildInit, until } from './test/agent.ts';

const bashrc = join(import.meta.dirname, '../rootfs/etc/coppice/bashrc');
let build: ReturnType<typeof buildInit>;
let agent: Agent;
let client: InitClient;

beforeAll(async () => {
  build = buildInit();
  agent = new Agent(build.init);
  client = agent.connect();
  await client.hello();
});
afterAll(async () => {
  await agent.stop();
  build.remove();
});

/** An interactive bash with our marks, as in a sandbox's terminal. */
class Shell {
  readonly marks: CommandMark[] = [];
  shown = '';
  #process: InitProcess | undefined;

  static async open(envs: Record<string, string> = {}): Promise<Shell> {
    const shell = new Shell();
    const filter = new CommandMarks((mark) => shell.marks.push(mark));
    shell.#process = await client.exec(
      {
        command: ['bash', '--noprofile', '--rcfile', bashrc, '-i'],
        pty: { columns: 200, rows: 50 },
        envs: { HISTFILE: '', ...envs },
      },
      (event) => {
        if (event.type !== 'exit') shell.shown += Buffer.from(filter.filter(event.bytes)).toString();
      },
    );
    await shell.prompt();
    return shell;
  }

  /** Waits until it shows its prompt: bracketed paste is switched on when readline begins to listen. */
  async prompt(): Promise<void> {
    await until(() => this.shown.endsWith('\x1b[?2004h') || /[$#] $/.test(this.shown));
  }

  /** Types a line and waits for the end of what it starts. */
  async type(line: string): Promise<CommandMark[]> {
    const before = this.marks.length;
    await this.#process?.write(Buffer.from(`${line}\n`));
    await until(() => this.marks.slice(before).some(({ type }) => type === 'end'));
    return this.marks.slice(before);
  }

  /** Types lines, whatever the shell does meanwhile, and waits until all have run. */
  async typeAhead(lines: readonly string[]): Promise<void> {
    for (const line of lines) for (const key of `${line}\n`) await this.#process?.write(Buffer.from(key));
    await until(() => this.marks.filter(({ type }) => type === 'end').length >= lines.length);
  }

  /** Resolves once it has heard of it: a shell that is about to wait for input hears of it later. */
  async tellWindowChanged(): Promise<string[]> {
    const question = `/dev/shm/coppice-shell.${this.pid}`;
    writeFileSync(question, '');
    try {
      process.kill(this.pid, 'SIGWINCH');
      await until(() => readFileSync(question, 'utf8').endsWith('\0='));
      return readFileSync(question, 'utf8').split('\0');
    } finally {
      rmSync(question);
    }
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async close(): Promise<void> {
    await this.#process?.kill();
    rmSync(`/dev/shm/coppice-line.${this.pid}`, { force: true });
  }
}

test.each([
  ['a simple command', 'echo one two', 0],
  ['a failing command', 'false', 1],
  ['a pipeline', 'seq 3 | wc -l', 0],
  ['a list', 'true; false', 1],
  ['a subshell', '( exit 7 )', 7],
  ['a subshell first in a list', '(true) && (exit 4)', 4],
  ['a group', '{ true; }', 0],
  ['a loop', 'for i in 1 2 3; do echo $i; done', 0],
  ['a function', 'f() { return 5; }; f', 5],
  ['an assignment', 'A=1', 0],
  ['arithmetic', '((0))', 1],
  ['a conditional', '[[ a == b ]]', 1],
  ['a background job', 'true &', 0],
  ['a command that is not there', 'no-such-program', 127],
  ['a command with UTF-8', 'echo "grüße ☃" >/dev/null', 0],
  ['a command with redirected output', 'echo lost >/dev/null 2>&1', 0],
  ['a command that begins with a number', '2>/dev/null echo x', 0],
])('%s is marked with its text and its status', async (_, line, exitCode) => {
  const shell = await Shell.open();
  expect(await shell.type(line)).toEqual([
    { type: 'start', command: line },
    { type: 'end', exitCode },
  ]);
  await shell.close();
});

test('a command over several lines is one', async () => {
  const shell = await Shell.open();
  expect(await shell.type('for i in 1 2\ndo\n echo "$i"\ndone')).toEqual([
    { type: 'start', command: 'for i in 1 2; do  echo "$i"; done' },
    { type: 'end', exitCode: 0 },
  ]);
  await shell.close();
});

test('R-3 lines that are typed while others run are named as they were typed', async () => {
  const shell = await Shell.open();
  const lines = Array.from({ length: 40 }, (_, at) => `: line ${at} "of two;\n parts" '\\033[1m'`);
  await shell.typeAhead(lines);
  const started = shell.marks.filter(({ type }) => type === 'start');
  expect(started).toEqual(lines.map((command) => ({ type: 'start', command })));
  expect(shell.shown).not.toContain(']6973;');
  await shell.close();
});

test('an empty line is not marked, and $? survives the marks', async () => {
  const shell = await Shell.open();
  await shell.type('(exit 42)');
  expect(await shell.type('\necho "status $?"')).toEqual([
    { type: 'start', command: 'echo "status $?"' },
    { type: 'end', exitCode: 0 },
  ]);
  expect(shell.shown).toContain('status 42');
  await shell.close();
});

test('the same command twice, and one kept out of the history, are named all the same', async () => {
  const shell = await Shell.open({ HISTCONTROL: 'ignoreboth' });
  await shell.type('echo same');
  expect((await shell.type('echo same'))[0]).toEqual({ type: 'start', command: 'echo same' });
  expect((await shell.type(' echo secret'))[0]).toEqual({ type: 'start', command: 'echo secret' });
  await shell.close();
});

test('marks cost no process', async () => {
  const shell = await Shell.open();
  // Page faults of children that the shell has waited for (proc(5)): constant as long as there are none.
  const count = 'read -r _ _ _ _ _ _ _ _ _ _ faults _ </proc/$$/stat; echo "faults $faults"';
  await shell.type(count);
  for (let round = 0; round < 20; round++) await shell.type(':');
  await shell.type(count);
  const [before, after] = [...shell.shown.matchAll(/^faults (\d+)/gm)].map(([, value]) => value);
  expect(before).toBeDefined();
  expect(after).toBe(before);
  await shell.close();
});

test('a shell that waits since before there was a history reads it when its window changes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'coppice-history-'));
  const file = join(directory, 'history');
  try {
    const shell = await Shell.open({ HISTFILE: file });
    await shell.type(':');
    writeFileSync(file, ':\necho early\necho later\n');
    await shell.tellWindowChanged();
    expect(await shell.type('history | tail -n 3')).toEqual([
      { type: 'start', command: 'history | tail -n 3' },
      { type: 'end', exitCode: 0 },
    ]);
    expect(shell.shown).toMatch(/echo early\r\n +\d+ {2}echo later\r\n +\d+ {2}history/);
    await shell.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('B-9 asked with a file for the answer, it says what it exports, in the middle of a line', async () => {
  const shell = await Shell.open();
  await shell.type('export GREETING="from here" LINES_OF="a\nb"; PRIVATE=no');
  const file = `/dev/shm/coppice-shell.${shell.pid}`;
  process.kill(shell.pid, 'SIGWINCH');
  await shell.type(':');
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, '');
  try {
    // A signal that comes before readline listens is heard of with the next key.
    await shell.prompt();
    process.kill(shell.pid, 'SIGWINCH');
    await until(() => readFileSync(file, 'utf8').endsWith('\0='));
    const said = readFileSync(file, 'utf8').split('\0');
    expect(said).toContain('GREETING=from here');
    expect(said.join()).not.toContain('PRIVATE');
    // It does not answer into what is no question.
    process.kill(shell.pid, 'SIGWINCH');
    await shell.type(':');
    expect(readFileSync(file, 'utf8').split('\0')).toEqual(said);
  } finally {
    rmSync(file);
  }
  await shell.close();
});
