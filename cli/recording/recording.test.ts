import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { inRepository } from '../../host/repository.ts';
import { openTestCli, type TestCli } from '../test-context.ts';

const transcripts = inRepository('test/fixtures/transcripts');
const claude = join(transcripts, 'claude-code/5f1c0a52-7c1e-4b7a-9d7e-0c8b4a1e2f30.jsonl');
const codex = join(
  transcripts,
  'codex/rollout-2026-11-20T10-00-00-0198c0de-0000-7000-8000-000000000001.jsonl',
);

async function run(cli: TestCli, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.run('recording', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Events of a recording, but not their times. */
async function eventsOf(cli: TestCli, file: string): Promise<Record<string, unknown>[]> {
  const lines = (await run(cli, 'convert', file, '-', '--to', 'jsonl')).trimEnd().split('\n').slice(1);
  return lines.map((line) => JSON.parse(line));
}

test('C-8 a session of an agent becomes a recording that says what is in it, and is not replaced by a second', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  await run(cli, 'convert', claude, 'work.cast.gz');
  const told = JSON.parse(await run(cli, 'inspect', 'work.cast.gz', '--json'));
  expect(told).toMatchObject({
    format: 'recording',
    duration: 20,
    commands: 4,
    failed: 2,
    calls: 6,
    messages: 6,
    terminals: 2,
    exitCode: 0,
  });
  expect(await run(cli, 'inspect', 'work.cast.gz')).toContain('title       Repair the failing test\n');
  const before = await readFile(join(cli.folder, 'work.cast.gz'));
  expect(gunzipSync(before).toString()).toContain('1 passing');
  const refused = await cli.run('recording', 'convert', codex, 'work.cast.gz');
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('--force') });
  expect(await readFile(join(cli.folder, 'work.cast.gz'))).toEqual(before);
  await run(cli, 'convert', codex, 'work.cast.gz', '--force');
  expect(await run(cli, 'inspect', 'work.cast.gz')).toContain('Make the test pass');
});

test('C-8 an asciicast of either version comes in, and goes out as the other with nothing of ours in it', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const lines = [
    '{"version":2,"width":90,"height":20,"timestamp":1504467315,"title":"Demo","env":{"SHELL":"/bin/zsh"}}',
    '[0.25,"o","Hello \\u001b[32mWorld\\u001b[0m\\r\\n"]',
    '[1,"i","q"]',
    '[1.5,"m","step"]',
    '[4.05,"r","80x24"]',
    '[6.541,"o","Bye!"]',
  ];
  await writeFile(join(cli.folder, 'v2.cast'), `${lines.join('\n')}\n`);
  await run(cli, 'convert', 'v2.cast', 'ours.cast.gz');
  await run(cli, 'convert', 'ours.cast.gz', 'v3.cast', '--to', 'asciicast');
  expect((await readFile(join(cli.folder, 'v3.cast'), 'utf8')).split('\n')).toEqual([
    '{"version":3,"term":{"cols":90,"rows":20},"timestamp":1504467315,"title":"Demo","env":{"SHELL":"/bin/zsh"}}',
    lines[1],
    '[0.75,"i","q"]',
    '[0.5,"m","step"]',
    '[2.55,"r","80x24"]',
    '[2.491,"o","Bye!"]',
    '',
  ]);
  expect((await run(cli, 'convert', 'v3.cast', '-', '--to', 'asciicast-v2')).trimEnd().split('\n')).toEqual(
    lines,
  );
});

test('C-8 a trajectory that was written comes in again with the same calls, results and messages', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const told = (events: Record<string, unknown>[]) =>
    events.filter(({ type }) => ['message', 'call', 'result'].includes(String(type)));
  for (const file of [join(transcripts, 'atif/trajectory.json'), codex]) {
    await run(cli, 'convert', file, 'once.json', '--force');
    await run(cli, 'convert', 'once.json', 'twice.json', '--force');
    expect(told(await eventsOf(cli, 'twice.json'))).toEqual(told(await eventsOf(cli, 'once.json')));
    const texts = (events: Record<string, unknown>[]) =>
      told(events).map(({ type, role, text, id, tool }) => ({ type, role, text, id, tool }));
    const ids = ({ id }: { readonly id: unknown }) => typeof id === 'string' && /^c/.test(id);
    expect(texts(await eventsOf(cli, 'once.json')).filter(ids)).toEqual(
      texts(await eventsOf(cli, file)).filter(ids),
    );
  }
});

test('a part of a recording begins with its screen, and recordings are joined as chapters whose numbers stay apart', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  await run(cli, 'join', 'both.cast.gz', codex, claude);
  const both = await eventsOf(cli, 'both.cast.gz');
  const commands = both
    .filter(({ type }) => type === 'command')
    .map(({ command, terminal }) => ({ command, terminal }));
  expect(commands.map(({ command }) => command)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(both.filter(({ type }) => type === 'chapter').map(({ title }) => title)).toEqual([
    'Make the test pass',
    'Repair the failing test',
  ]);
  await run(cli, 'cut', 'both.cast.gz', 'part.cast.gz', '--from', '14s', '--to', '17s');
  const part = await eventsOf(cli, 'part.cast.gz');
  // The screen of the first session was cleared for the second, whose first command had begun.
  expect(part[0]).toMatchObject({ at: 0, type: 'resize', terminal: 1 });
  expect(String(part[1]?.data).split('\u001bc').at(-1)).toBe('\u001b[1m$ npm test\u001b[0m\r\n');
  // What ended a command that is not in it is not told.
  expect(part.filter(({ type }) => type === 'command-end' || type === 'result')).toEqual([]);
  const refused = await cli.run(
    'recording',
    'cut',
    'both.cast.gz',
    'none.cast',
    '--from',
    '2m',
    '--to',
    '1m',
  );
  expect(refused.code).toBe(2);
});

test('C-8 no secret of a session passes unless it is asked to: neither one with a known shape, nor one that is given, nor one of the environment', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  cli.environment.DEPLOY_PASSWORD = 'correct horse battery';
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const hash = '4f1a9c02e7b8d3516a0c9e4f27b8d150a3c6e9f2';
  const said = (text: string) =>
    `${JSON.stringify({ type: 'user', parentUuid: null, message: { content: text } })}\n`;
  const text = said(
    `The token is ${token}, the password correct horse battery, the plan moonlight-9, the commit ${hash}`,
  );
  await writeFile(join(cli.folder, 'session.jsonl'), text);
  await run(cli, 'convert', 'session.jsonl', 'clean.cast', '--secret', 'moonlight-9');
  const clean = await readFile(join(cli.folder, 'clean.cast'), 'utf8');
  for (const secret of [token, 'correct horse', 'moonlight']) expect(clean).not.toContain(secret);
  expect(clean).toContain(hash);
  const told = JSON.parse(await run(cli, 'inspect', 'clean.cast', '--json'));
  expect(Object.values<number>(told.redacted).reduce((sum, each) => sum + each)).toBe(6);
  await run(cli, 'convert', 'session.jsonl', 'as-it-is.cast', '--keep-secrets');
  expect(await readFile(join(cli.folder, 'as-it-is.cast'), 'utf8')).toContain(token);
  await run(cli, 'redact', 'as-it-is.cast', 'later.cast');
  expect(await readFile(join(cli.folder, 'later.cast'), 'utf8')).not.toContain(token);
});

test('P-5 a recording becomes a folder for a static server, and is not written over another', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  await run(cli, 'convert', claude, 'site/', '--to', 'folder');
  const index = JSON.parse(await readFile(join(cli.folder, 'site/index.json'), 'utf8'));
  expect(index).toMatchObject({ version: 1, duration: 20, segments: [{ start: 0, url: 'segments/0.json' }] });
  expect(await readFile(join(cli.folder, 'site/segments/0.json'), 'utf8')).toContain('1 passing');
  expect((await cli.run('recording', 'convert', codex, 'site/')).code).toBe(4);
  expect((await cli.run('recording', 'convert', codex, '-', '--to', 'folder')).stderr).toContain('name one');
});

test('H-9 a folder that a session came in leads to no file outside of it, and what a session is called controls no terminal', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const side = join(cli.folder, 'session', 'tool-results');
  await mkdir(side, { recursive: true });
  await writeFile(join(cli.folder, 'mine'), 'not of the session');
  await symlink(join(cli.folder, 'mine'), join(side, 'long.txt'));
  const line = (type: string, content: unknown, more: object = {}) =>
    `${JSON.stringify({ type, parentUuid: null, message: { content }, ...more })}\n`;
  const text = [
    line('user', 'a \u001b]0;title\u0007 \u202e'),
    line('assistant', [{ type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'make' } }]),
    line('user', [{ type: 'tool_result', tool_use_id: 'c', content: 'the beginning' }], {
      toolUseResult: { persistedOutputPath: '/x/tool-results/long.txt' },
    }),
  ].join('');
  await writeFile(join(cli.folder, 'session.jsonl'), text);
  const events = JSON.stringify(await eventsOf(cli, 'session.jsonl'));
  expect(events).toContain('the beginning');
  expect(events).not.toContain('not of the session');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come
  expect(await run(cli, 'inspect', 'session.jsonl')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/);
});
