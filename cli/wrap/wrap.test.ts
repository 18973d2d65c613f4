import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestCli, type TestCli } from '../test-context.ts';
import { agents } from './agents.ts';
import { describeCall } from './describe-call.ts';
import { addSettings, removeSettings } from './merge-settings.ts';

/** Has an agent say something to its hook. */
async function say(cli: TestCli, agent: string, payload: object): Promise<void> {
  const run = cli.start('hook', agent);
  run.stdin.end(JSON.stringify(payload));
  // An agent reads standard output, and takes an exit code for a refusal.
  expect(await run.ended).toEqual({ code: 0, stdout: '', stderr: '' });
}

/** What Claude Code 2 says around a tool call. */
const claudeCall = (when: 'Pre' | 'Post', cwd: string, tool: string, input: object) => ({
  session_id: '6f1d1c1e-2b0a-4c61-9d4e-0d7c3a1f5b52',
  transcript_path: '/home/user/.claude/projects/x/6f1d1c1e.jsonl',
  cwd,
  permission_mode: 'default',
  hook_event_name: `${when}ToolUse`,
  tool_name: tool,
  tool_input: input,
  ...(when === 'Post' ? { tool_response: { stdout: '', stderr: '', interrupted: false } } : {}),
});

test('R-12 each tool call that changes files is a step; undo takes back its changes and not those of a person', async () => {
  await using cli = await openTestCli();
  const folder = await mkdtemp(join(tmpdir(), 'coppice-wrapped-'));
  try {
    await mkdir(join(folder, 'src'));
    const file = join(folder, 'src/a');
    const read = () => readFile(file, 'utf8');
    await writeFile(file, 'first');
    await cli.run('init', '--in-place', folder);
    const call = async (tool: string, input: object, text?: string) => {
      await say(cli, 'claude', claudeCall('Pre', join(folder, 'src'), tool, input));
      if (text !== undefined) await writeFile(file, text);
      await say(cli, 'claude', claudeCall('Post', join(folder, 'src'), tool, input));
    };
    await call('Write', { file_path: file, content: 'written' }, 'written');
    await call('Read', { file_path: file });
    await writeFile(file, 'mine');
    await call('Bash', { command: 'rm -rf\n  src', description: 'Tidy up' }, 'broken');
    const log = await cli.run('log', '--json', '--in-place', folder);
    const titles = log.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).cause.label);
    expect(titles.slice(0, -1)).toEqual([
      'Bash: rm -rf src',
      'before Bash: rm -rf src',
      `Write: ${file}`,
      'before the first step',
    ]);
    await cli.run('undo', '--in-place', folder);
    expect(await read()).toBe('mine');
    // What the person has written is in place of what the call before wrote.
    expect(await cli.run('undo', '--in-place', folder)).toMatchObject({ code: 4 });
    expect(await read()).toBe('mine');
    await cli.run('undo', '--take-all', '--in-place', folder);
    expect(await read()).toBe('first');
    await cli.run('redo', '2', '--in-place', folder);
    expect(await read()).toBe('broken');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('R-12 what an agent takes out of .coppiceignore stays out of its history until a person changes the file', async () => {
  await using cli = await openTestCli();
  const folder = await mkdtemp(join(tmpdir(), 'coppice-wrapped-'));
  try {
    const rules = join(folder, '.coppiceignore');
    await writeFile(rules, 'secret\n');
    await writeFile(join(folder, 'secret'), 'of the user');
    await cli.run('init', '--in-place', folder);
    const call = async (tool: string, change: () => Promise<unknown>) => {
      await say(cli, 'claude', claudeCall('Pre', folder, tool, { command: tool }));
      await change();
      await say(cli, 'claude', claudeCall('Post', folder, tool, { command: tool }));
    };
    const names = async () => (await cli.run('log', '--all', '--json', '--in-place', folder)).stdout;
    await call('Bash', () => rm(rules));
    await call('Write', () => writeFile(join(folder, 'a'), 'one'));
    await call('Write', () => writeFile(join(folder, 'a'), 'two'));
    expect(await names()).not.toContain('/secret');
    await cli.run('undo', '3', '--in-place', folder);
    expect(await readFile(join(folder, 'secret'), 'utf8')).toBe('of the user');
    expect(await readFile(rules, 'utf8')).toBe('secret\n');
    await writeFile(rules, '# all of it\n');
    await cli.run('commit', '--in-place', folder);
    await writeFile(join(folder, 'a'), 'three');
    await cli.run('commit', '--in-place', folder);
    expect(await names()).toContain('/secret');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('R-12 undo of the first step of an agent leaves the hook that wrap put into the folder', async () => {
  await using cli = await openTestCli();
  const hooks = join(cli.folder, '.cursor/hooks.json');
  const root = await mkdtemp(join(tmpdir(), 'coppice-root-'));
  try {
    const run = async (...args: string[]) => {
      const result = await cli.run(...args, '--root', root);
      expect(result, args.join(' ')).toMatchObject({ code: 0 });
      return result;
    };
    await run('init', '--in-place', cli.folder);
    await run('wrap', 'cursor', '--write');
    await writeFile(join(cli.folder, 'a'), 'edited');
    await run('commit', '-m', 'afterFileEdit: a', '--in-place', cli.folder);
    await run('undo', '--in-place', cli.folder);
    expect(await readFile(hooks, 'utf8')).toContain('coppice hook cursor');
    await expect(stat(join(cli.folder, 'a'))).rejects.toThrow('ENOENT');
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test('R-12 a hook never stops its agent, whatever it is told, and leaves folders without a history alone', async () => {
  await using cli = await openTestCli();
  await say(cli, 'claude', claudeCall('Post', tmpdir(), 'Bash', { command: 'ls' }));
  await say(cli, 'claude', { hook_event_name: 'Stop' });
  for (const text of ['', 'no JSON', '[]', '{"hook_event_name":"PostToolUse","cwd":"/nowhere/at/all"}']) {
    const run = cli.start('hook', 'claude');
    run.stdin.end(text);
    expect(await run.ended).toMatchObject({ code: 0, stdout: '' });
  }
  const unknown = await cli.run('hook', 'somebody');
  expect(unknown).toMatchObject({ code: 0, stdout: '' });
  expect(unknown.stderr).toMatch(/^coppice hook: There is no agent "somebody".*\n$/);
});

test('R-12 a hook takes steps in a sandbox that is named', async () => {
  await using cli = await openTestCli();
  const run = cli.start('hook', 'gemini', '--sandbox', 'default');
  run.stdin.end(
    JSON.stringify({
      hook_event_name: 'AfterTool',
      tool_name: 'run_shell_command',
      tool_input: { command: 'make' },
    }),
  );
  await run.ended;
  expect((await cli.run('log')).stdout).toContain('run_shell_command: make');
});

test('R-12 what an agent says becomes one short line', () => {
  const label = (agent: string, payload: object) =>
    describeCall(payload, agents[agent] ?? expect.fail())?.what;
  const codex = { type: 'agent-turn-complete', 'turn-id': '1', 'input-messages': ['Rename it', 'and test'] };
  expect(label('codex', codex)).toBe('Rename it and test');
  expect(label('cursor', { hook_event_name: 'afterFileEdit', file_path: '/a/b', edits: [] })).toBe(
    'afterFileEdit: /a/b',
  );
  expect(label('aider', {})).toBe('aider');
  const hostile = {
    hook_event_name: 'PostToolUse',
    tool_name: '\u001b[2J\u202eX',
    tool_input: { command: 'é'.repeat(5_000) },
  };
  const said = label('claude', hostile) ?? '';
  expect(said).toMatch(/^\[2JX: é+…$/);
  expect(said.length).toBeLessThanOrEqual(200);
  expect(label('claude', { hook_event_name: 'PostToolUse', tool_name: 'X', tool_input: { n: [1] } })).toBe(
    'X: {"n":[1]}',
  );
});

test('R-12 wrap --write adds hooks to what is there, once, and --undo takes out just those', async () => {
  await using cli = await openTestCli();
  const path = join(cli.folder, '.claude/settings.json');
  const own = {
    model: 'opus',
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './check.sh' }] }] },
  };
  const text = `${JSON.stringify(own, undefined, 4)}\n`;
  await mkdir(join(cli.folder, '.claude'));
  await writeFile(path, text, { mode: 0o600 });
  const printed = await cli.run('wrap', 'claude');
  expect(JSON.parse(printed.stdout).hooks.PostToolUse[0].hooks[0].command).toBe('coppice hook claude');
  expect(await readFile(path, 'utf8')).toBe(text);
  await cli.run('wrap', 'claude', '--write');
  await cli.run('wrap', 'claude', '--write', '--sandbox', "it's");
  const { model, hooks } = JSON.parse(await readFile(path, 'utf8'));
  expect(model).toBe('opus');
  expect(hooks.PreToolUse.map((each: { hooks: { command: string }[] }) => each.hooks[0]?.command)).toEqual([
    './check.sh',
    "coppice hook claude --sandbox 'it'\\''s'",
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await cli.run('wrap', 'claude', '--undo');
  expect(await readFile(path, 'utf8')).toBe(text);
  expect(await readFile(`${path}.before-coppice`, 'utf8')).toBe(text);
  expect((await readdir(join(cli.folder, '.claude'))).sort()).toEqual([
    'settings.json',
    'settings.json.before-coppice',
  ]);
});

test("R-12 wrap --undo leaves a person's own hooks and permissions that name ours", () => {
  const hook = { words: ['coppice', 'hook', 'claude'], mark: 'coppice hook claude' };
  const { settings } = agents.claude ?? expect.fail();
  const own = {
    permissions: { allow: ['Bash(coppice hook claude:*)'] },
    hooks: {
      PostToolUse: [
        { matcher: 'Edit', hooks: [{ type: 'command', command: 'coppice hook claude && notify-send done' }] },
        { matcher: 'Bash', hooks: [] },
      ],
      Stop: [],
    },
  };
  const text = `${JSON.stringify(own, undefined, 2)}\n`;
  expect(removeSettings(text, settings, hook)).toBe(text);
  const written = addSettings(text, settings, { ...hook, words: [...hook.words, '--root', "/it's here"] });
  expect(written).toContain("'/it'\\\\''s here'");
  expect(removeSettings(written, settings, hook)).toBe(text);
});

test('R-12 wrap writes no file that a link in the folder leads to', async () => {
  await using cli = await openTestCli();
  const other = await mkdtemp(join(tmpdir(), 'coppice-other-'));
  try {
    const [mine, path] = [join(other, 'bashrc'), join(cli.folder, '.claude/settings.json')];
    await writeFile(mine, 'mine');
    await mkdir(join(cli.folder, '.claude'));
    await writeFile(path, '{"$(touch pwned)": 1}');
    await symlink(mine, `${path}.before-coppice`);
    expect((await cli.run('wrap', 'claude', '--write')).code).toBe(0);
    expect((await lstat(`${path}.before-coppice`)).isFile()).toBe(true);
    await writeFile(join(other, 'settings.json'), '{}');
    await symlink(other, join(cli.folder, '.gemini'));
    const linked = await cli.run('wrap', 'gemini', '--write');
    expect(linked.code).not.toBe(0);
    expect(linked.stderr).toContain('out of the folder');
    await symlink(mine, join(cli.folder, '.aider.conf.yml'));
    expect((await cli.run('wrap', 'aider', '--write')).stderr).toContain('out of the folder');
    expect(await readFile(mine, 'utf8')).toBe('mine');
    expect((await readdir(other)).sort()).toEqual(['bashrc', 'settings.json']);
    expect(await readFile(join(other, 'settings.json'), 'utf8')).toBe('{}');
  } finally {
    await rm(other, { recursive: true, force: true });
  }
});

test('R-12 wrap refuses settings that it would have to overwrite', () => {
  const hook = { words: ['coppice', 'hook', 'codex'], mark: 'coppice hook codex' };
  const { settings } = agents.codex ?? expect.fail();
  const own = 'model = "o"\n\n[tui]\nnotifications = true\n';
  const written = addSettings(own, settings, hook);
  expect(written).toContain('\nnotify = ["coppice","hook","codex"]\n');
  expect(addSettings(written, settings, hook)).toBe(written);
  expect(removeSettings(written, settings, hook)).toBe(own);
  expect(() => addSettings('notify = ["mine"]\n', settings, hook)).toThrow('can be set once');
  const claude = (agents.claude ?? expect.fail()).settings;
  expect(() => addSettings('// mine\n{}', claude, hook)).toThrow('no plain JSON'.slice(3));
  expect(() => addSettings('{"hooks": "none"}', claude, hook)).toThrow('another shape');
});

test('R-12 the reference page lists each agent with its file and what a snapshot is', async () => {
  const page = await readFile(new URL('../../docs/reference/wrap.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));
  for (const [name, { title, file, step }] of Object.entries(agents)) {
    const row = rows.find((line) => line.startsWith(`| ${title} | \`${name}\` |`));
    expect(row, name).toContain(`\`${file}\``);
    expect(row, name).toMatch(new RegExp(`\\| ${step} \\|$`));
  }
  expect(rows.length).toBe(Object.keys(agents).length);
});
