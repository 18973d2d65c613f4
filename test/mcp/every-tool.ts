import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolTable } from '../../mcp/tools/tool-table.ts';

const tools = Object.values(toolTable).flat();

interface Answer {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

/** A client that calls tools, and what it has called. Disposing of it closes the connection. */
export interface McpTestClient extends AsyncDisposable {
  readonly client: Client;
  readonly called: ReadonlySet<string>;
  call(name: string, args?: object, options?: object): Promise<Answer>;
}

export function callingClient(client: Client): McpTestClient {
  const called = new Set<string>();
  return {
    client,
    called,
    call: async (name, args = {}, options = {}) => {
      called.add(name);
      const result = await client.callTool({ name, arguments: { ...args } }, options);
      const [first] = result.content;
      return {
        value: Object(result.structuredContent),
        text: first?.type === 'text' ? first.text : '',
        isError: result.isError ?? false,
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Registers tests that drive every tool, over one client on shells that has no sandbox yet. */
export function testEveryTool(open: () => Promise<McpTestClient>): void {
  let opened: McpTestClient;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test('is told which program it talks to', () => {
    expect(opened.client.getServerVersion()).toMatchObject({
      name: 'coppice',
      version: expect.stringMatching(/^\d+\.\d+/),
    });
  });

  test('is told of every tool, with a schema and its effect', async () => {
    const listed = (await opened.client.listTools()).tools;
    expect(listed.map(({ name }) => name).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
    for (const { inputSchema, outputSchema, annotations, description } of listed) {
      expect(inputSchema.type).toBe('object');
      // The client holds every answer to it from now on.
      expect(outputSchema).toMatchObject({ type: 'object', required: expect.any(Array) });
      expect(annotations).toHaveProperty('readOnlyHint');
      expect(description).toMatch(/\.$/);
    }
  });

  test('without a sandbox is told how to make one', async () => {
    const { text, isError } = await opened.call('sandbox_exec', { command: 'true' });
    expect(isError).toBe(true);
    expect(text).toMatch(/^not-found: .*sandbox_create/);
  });

  test('makes a sandbox, and works in it without naming it', async () => {
    const { call } = opened;
    const { value: made } = await call('sandbox_create', { name: 'one' });
    expect((await call('sandbox_list')).value.sandboxes).toMatchObject([{ id: made.id, isYours: true }]);
    const ran = await call('sandbox_exec', { command: 'cat; echo bad >&2; exit 3', stdin: 'hello\n' });
    expect(ran).toMatchObject({ isError: false, value: { exitCode: 3, stdout: 'hello\n', stderr: 'bad\n' } });
    expect(ran.text).toContain('exit code 3');
    expect((await call('sandbox_inspect')).value).toMatchObject({ name: 'one', head: expect.any(String) });
  });

  test('says in a field which outputs are not whole', async () => {
    const { call } = opened;
    const whole = await call('sandbox_exec', { command: 'echo whole' });
    expect(whole.value).not.toHaveProperty('cut');
    const command =
      'mkdir long && cd long && seq 200000 | tee >(cat >&2) && for i in {1..300}; do echo > f$i; done';
    const ran = await call('sandbox_exec', { command });
    expect(ran.value.cut).toEqual(expect.arrayContaining(['stdout', 'changed']));
    expect(ran.value.stdout).toContain('characters left out');
    await call('sandbox_exec', { command: 'rm -r long' });
  });

  test('writes, reads, lists and removes files', async () => {
    const { call } = opened;
    const path = '/home/user/a.txt';
    await call('sandbox_fs_write', { path, content: 'first\n' });
    await call('sandbox_fs_write', { path: '/home/user/b', content: 'AAH/', encoding: 'base64' });
    expect((await call('sandbox_fs_read', { path })).text).toBe('first\n');
    expect((await call('sandbox_fs_read', { path: '/home/user/b', encoding: 'base64' })).value.content).toBe(
      'AAH/',
    );
    const part = await call('sandbox_fs_read', { path, offsetBytes: 1, lengthBytes: 2 });
    expect(part).toMatchObject({ value: { content: 'ir', sizeBytes: 6 }, text: 'ir\n[3 of 6 bytes follow]' });
    expect((await call('sandbox_fs_stat', { path })).value).toMatchObject({ type: 'file', sizeBytes: 6 });
    expect((await call('sandbox_fs_list', { path: '/home/user' })).text).toContain('file\t6\ta.txt');
    await call('sandbox_fs_remove', { path: '/home/user/b' });
    expect((await call('sandbox_fs_stat', { path: '/home/user/b' })).text).toMatch(/^not-found/);
  });

  test('goes back and forth in the history', async () => {
    const { call } = opened;
    const path = '/home/user/a.txt';
    const { value: snapshot } = await call('snapshot_create', { label: 'good' });
    await call('sandbox_fs_write', { path, content: 'second\n' });
    expect((await call('sandbox_diff', { from: snapshot.id })).text).toContain(`modified\t${path}`);
    const { value: undone } = await call('sandbox_undo');
    expect((await call('sandbox_fs_read', { path })).text).toBe('first\n');
    await call('sandbox_redo');
    expect((await call('sandbox_fs_read', { path })).text).toBe('second\n');
    await call('sandbox_undo');
    await call('sandbox_checkout', { snapshot: undone.previousHead });
    expect((await call('sandbox_fs_read', { path })).text).toBe('second\n');
    expect((await call('sandbox_fs_read', { path, at: snapshot.id })).text).toBe('first\n');
    await call('sandbox_restore', { snapshot: snapshot.id });
    await call('sandbox_fs_write', { path, content: 'third\n' });
    const { text: refused } = await call('sandbox_redo');
    expect(refused).toMatch(/^conflict: Cannot redo.*sandbox_checkout to undone/s);
    expect(refused).not.toContain('coppice');
    await call('sandbox_restore', { snapshot: snapshot.id });
    expect((await call('snapshot_list')).value).toMatchObject({ head: snapshot.id });
    const { contents } = await opened.client.readResource({ uri: `coppice://one/snapshots/${snapshot.id}` });
    expect(contents).toMatchObject([{ mimeType: 'application/json', text: expect.stringContaining('good') }]);
  });

  test('forks, and merges what the fork has changed', async () => {
    const { call } = opened;
    const { value } = await call('sandbox_fork', { name: 'other' });
    expect(value.forks).toMatchObject([{ name: 'other' }]);
    await call('sandbox_fs_write', { sandbox: 'other', path: '/home/user/c', content: 'of the fork' });
    const merged = await call('sandbox_merge', { fromSandbox: 'other' });
    expect(merged).toMatchObject({ isError: false, value: { previousHead: expect.any(String) } });
    expect((await call('sandbox_fs_read', { path: '/home/user/c' })).text).toBe('of the fork');
    expect((await call('sandbox_merge')).text).toMatch(/^invalid-argument/);
    expect((await call('sandbox_stop', { sandbox: 'other' })).value.wasOpen).toBe(true);
    expect((await call('sandbox_remove', { sandbox: 'other' })).value.removed).toBe(true);
    expect((await call('sandbox_list')).value.count).toBe(1);
  });

  test('races candidates', async () => {
    const { value, text } = await opened.call('sandbox_tournament', {
      candidates: ['echo no > answer', 'echo yes > answer'],
      test: 'grep -q yes answer',
    });
    expect(value).toMatchObject({ winner: 1, leftOver: [] });
    expect(text).toContain('|');
    expect((await opened.call('sandbox_exec', { command: 'cat answer' })).value.stdout).toBe('yes\n');
  });

  test('talks to a command that it has started', async () => {
    const { call } = opened;
    const { value } = await call('sandbox_exec_start', { command: 'read a; echo "got $a"; read b' });
    const { process } = value;
    expect((await call('sandbox_exec_poll', { process, waitMs: 0 })).value.isRunning).toBe(true);
    await call('sandbox_exec_write_stdin', { process, text: 'it\n' });
    expect((await call('sandbox_exec_poll', { process, waitMs: 30_000 })).value.stdout).toBe('got it\n');
    await call('sandbox_exec_signal', { process, signal: 'SIGKILL' });
    const ended = (await call('sandbox_exec_poll', { process, waitMs: 30_000 })).value;
    expect(ended).toMatchObject({ isRunning: false, exit: { signal: 'SIGKILL' } });
    expect((await call('sandbox_exec_close', { process })).isError).toBe(false);
    expect((await call('sandbox_exec_poll', { process })).text).toMatch(/^not-found/);
  });

  test('ends a command by giving its call up, and is told how far it is until then', async () => {
    const giveUp = new AbortController();
    const call = opened.call(
      'sandbox_exec',
      { command: 'echo begun; while true; do sleep 0.05; date +%s%N > beat; done' },
      { signal: giveUp.signal, onprogress: () => giveUp.abort() },
    );
    await expect(call).rejects.toThrow();
    const isBeating = 'cat beat > before; sleep 0.3; cat beat | cmp -s - before; echo $?';
    await expect
      .poll(async () => (await opened.call('sandbox_exec', { command: isBeating })).value.stdout)
      .toBe('0\n');
  });

  test('lists histories and reads files as resources', async () => {
    const { client } = opened;
    const [history] = (await client.listResources()).resources;
    const read = await client.readResource({ uri: history?.uri ?? '' });
    expect(JSON.parse(String(Object(read.contents[0]).text))).toHaveProperty('head');
    const { contents } = await client.readResource({ uri: 'coppice://one/files/home/user/a.txt' });
    expect(contents).toMatchObject([{ text: 'first\n' }]);
    await expect(client.readResource({ uri: 'coppice://one/files/../nothing' })).rejects.toThrow();
  });

  test('is refused what is no tool, no argument, too large or not its own', async () => {
    const { call, client } = opened;
    const refused = async (name: string, args: object) => {
      const answer = await client
        .callTool({ name, arguments: { ...args } })
        .catch((error) => ({ isError: true, error }));
      expect(answer.isError).toBe(true);
    };
    await refused('sandbox_nothing', {});
    await refused('sandbox_exec', { command: 'true', unknown: 1 });
    await refused('sandbox_exec', { command: 'x'.repeat(1_000_000) });
    await refused('sandbox_fs_read', { path: '../../etc/passwd' });
    await refused('sandbox_fork', { count: 1_000 });
    expect((await call('sandbox_exec', { command: 'echo still there' })).value.stdout).toBe('still there\n');
  });

  test('has called every tool', () => {
    expect([...opened.called].toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  });
}
