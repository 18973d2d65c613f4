import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import type { RecordingEvent } from '../recording/format/recording-event.ts';
import { readRecording } from '../recording/read/read-recording.ts';
import { openShellBridge } from '../test/fixtures/shell-bridge.ts';

test.each(['in its own process', 'of a bridge'])(
  'P-1 I-1 what a client does in sandboxes %s is a recording for each, with its calls and the files after them',
  async (place) => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'coppice-mcp-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const env = getDefaultEnvironment();
    const args = ['cli/main.ts', 'mcp', '--record', join(folder, 'sessions')];
    if (place === 'of a bridge') {
      const bridge = stack.use(await openShellBridge({ folder: join(folder, 'bridge'), process: 'ours' }));
      env.COPPICE_TOKEN = bridge.host.tokens.create({ name: 'test', scope: 'all' }).token;
      args.push('--bridge', bridge.url);
    } else args.push('--runtime', 'shell');
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, stderr: 'inherit' }),
    );
    await client.callTool({ name: 'sandbox_create', arguments: { name: 'work' } });
    await client.callTool({
      name: 'sandbox_exec',
      arguments: { sandbox: 'work', command: 'echo made > ~/note; exit 3' },
    });
    await client.callTool({ name: 'sandbox_fs_read', arguments: { sandbox: 'work', path: '/none' } });
    await client.callTool({ name: 'sandbox_stop', arguments: { sandbox: 'work' } });
    await client.close();
    const names = await readdir(join(folder, 'sessions'));
    expect(names).toEqual(['work.cast.gz']);
    const bytes = await readFile(join(folder, 'sessions', 'work.cast.gz'));
    const stream = await readRecording(
      (async function* () {
        yield new Uint8Array(bytes);
      })(),
    );
    const events: RecordingEvent[] = [];
    for await (const { event } of stream.events()) events.push(event);
    const calls = events.filter((event) => event.type === 'call');
    expect(calls.map(({ tool }) => tool)).toEqual(['sandbox_exec', 'sandbox_fs_read']);
    const results = events.filter((event) => event.type === 'result');
    expect(results.map(({ isError = false }) => isError)).toEqual([false, true]);
    const made = events.find((event) => event.type === 'snapshot' && event.changes.created === 1);
    expect(results[0]?.snapshot).toBe(made?.type === 'snapshot' ? made.id : 'none');
    expect(events.at(-1)).toEqual({ type: 'end', exitCode: 0 });
  },
);
