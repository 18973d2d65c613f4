import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { inRepository } from '../../host/repository.ts';
import { openHostCli } from './supervising.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

describe.skipIf(lack)(`tools over MCP, on jails of this host${lack ? `: ${lack}` : ''}`, () => {
  test('R-8 a client runs, goes back and forks in a jail, and what it made is gone when it is', async () => {
    await using cli = await openHostCli('root');
    const client = new Client({ name: 'test', version: '1' });
    const call = async (name: string, args: object) => {
      const { structuredContent, isError } = await client.callTool({ name, arguments: { ...args } });
      expect(isError ?? false).toBe(false);
      return Object(structuredContent);
    };
    try {
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [inRepository('cli/main.ts'), 'mcp'],
          env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', COPPICE_ROOT: cli.folder },
        }),
      );
      const ran = await call('sandbox_exec', { command: 'echo one > ~/file; echo $$; cat /proc/1/comm' });
      expect(ran).toMatchObject({ exitCode: 0, changed: [expect.stringMatching(/\/file$/)] });
      const { id } = await call('snapshot_create', { label: 'one' });
      await call('sandbox_exec', { command: 'rm ~/file' });
      const { forks } = await call('sandbox_fork', { from: id, name: 'fork' });
      expect(forks).toMatchObject([{ name: 'fork', runtime: 'jail', network: 'isolated' }]);
      const inFork = await call('sandbox_exec', { sandbox: 'fork', command: 'cat ~/file' });
      expect(inFork.stdout).toBe('one\n');
      await call('sandbox_restore', { snapshot: id });
    } finally {
      await client.close();
    }
    expect(await cli.run('exec', '--', 'bash', '-c', 'cat ~/file')).toBe('one\n');
    expect(await cli.run('list')).not.toContain('fork');
  });

  test('R-8 over HTTP a bridge gives the same tools to whoever shows a token, and what they make stays', async () => {
    await using cli = await openHostCli('root');
    await using bridge = cli.start(['bridge', '--port', '0']);
    await bridge.says('The bridge is ready at');
    await bridge.says('cpc_');
    const [, url = ''] = /ready at (http:\S+?),/.exec(bridge.output()) ?? [];
    const [token] = /cpc_[\w.-]+/.exec(bridge.output()) ?? [];
    const client = new Client({ name: 'test', version: '1' });
    const call = async (name: string, args: object) =>
      Object((await client.callTool({ name, arguments: { ...args } })).structuredContent);
    try {
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
      const ran = await call('sandbox_exec', { command: 'echo one > ~/file; cat /proc/1/comm' });
      expect(ran).toMatchObject({ exitCode: 0, changed: [expect.stringMatching(/\/file$/)] });
      await call('sandbox_exec', { command: 'rm ~/file' });
      await call('sandbox_undo', {});
      expect((await call('sandbox_exec', { command: 'cat ~/file' })).stdout).toBe('one\n');
      expect((await call('sandbox_fork', { name: 'fork' })).forks).toMatchObject([{ runtime: 'jail' }]);
    } finally {
      await client.close();
    }
    expect(await bridge.end('SIGTERM')).toBe(0);
    expect(await cli.run('list')).toContain('fork');
  });
});
