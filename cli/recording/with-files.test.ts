import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestCli } from '../test-context.ts';

test('C-8 R-12 calls of a session are beside the snapshots that the hooks of its agent took, which the recording has with their files', async () => {
  await using cli = await openTestCli();
  const folder = await mkdtemp(join(tmpdir(), 'coppice-aligned-'));
  try {
    await cli.run('init', '--in-place', folder);
    const lines: object[] = [];
    let uuid: string | null = null;
    const say = (type: 'user' | 'assistant', content: unknown) => {
      const parentUuid = uuid;
      uuid = `u${lines.length}`;
      const timestamp = new Date().toISOString();
      lines.push({ type, uuid, parentUuid, timestamp, cwd: folder, message: { role: type, content } });
    };
    const hook = async (when: 'Pre' | 'Post', name: string, input: object) => {
      const run = cli.start('hook', 'claude');
      const event = { cwd: folder, hook_event_name: `${when}ToolUse`, tool_name: name, tool_input: input };
      run.stdin.end(JSON.stringify(event));
      expect(await run.ended).toEqual({ code: 0, stdout: '', stderr: '' });
    };
    const call = async (id: string, name: string, input: object, text?: string) => {
      say('assistant', [{ type: 'tool_use', id, name, input }]);
      await hook('Pre', name, input);
      if (text !== undefined) await writeFile(join(folder, 'note'), text);
      // As Claude Code does at times: the result is written before its hook has ended.
      if (id === 'late') say('user', [{ type: 'tool_result', tool_use_id: id, content: 'done' }]);
      await hook('Post', name, input);
      if (id !== 'late') say('user', [{ type: 'tool_result', tool_use_id: id, content: 'done' }]);
    };
    say('user', 'Write it twice');
    await call('first', 'Write', { file_path: 'note', content: 'one' }, 'one');
    await call('look', 'Read', { file_path: 'note' });
    await call('late', 'Bash', { command: 'echo two > note' }, 'two');
    const session = join(folder, '../session.jsonl');
    await writeFile(session, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const out = join(cli.folder, 'work.cast.gz');
    const converted = await cli.run(
      'recording',
      'convert',
      session,
      out,
      '--with-files',
      '--in-place',
      folder,
    );
    expect(converted).toMatchObject({ code: 0, stderr: '' });

    const printed = await cli.run('recording', 'convert', out, '-', '--to', 'jsonl', '--keep-secrets');
    const [, ...events] = printed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const log = await cli.run('log', '--json', '--in-place', folder);
    const ids = new Map(
      log.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ id, cause }) => [cause.label, id]),
    );
    const told = events.flatMap(({ type, id, snapshot, label }) =>
      type === 'call' || type === 'result'
        ? [[type, id, snapshot]]
        : type === 'snapshot'
          ? [[type, label]]
          : [],
    );
    const [begin, one, two] = ['before the first step', 'Write: note', 'Bash: echo two > note'];
    expect(told).toEqual([
      ['snapshot', 'start'],
      ['snapshot', begin],
      ['call', 'first', ids.get(begin)],
      ['snapshot', one],
      ['result', 'first', ids.get(one)],
      ['call', 'look', ids.get(one)],
      ['result', 'look', ids.get(one)],
      ['call', 'late', ids.get(one)],
      ['snapshot', two],
      ['result', 'late', ids.get(two)],
    ]);
    // Each of them is whole in the file.
    const whole = events.filter(({ type, isLast }) => type === 'objects' && isLast);
    expect(whole).toHaveLength(4);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
