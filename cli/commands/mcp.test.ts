import { expect, test } from 'vitest';
import { openTestCli, type TestCli } from '../test-context.ts';

/** Does as a client of 2025 does: opens, makes a sandbox, and calls one more tool; then it closes its end. */
async function makeOne(
  cli: TestCli,
  { tool, flags }: { readonly tool: object; readonly flags: readonly string[] },
) {
  const run = cli.start('mcp', ...flags);
  const send = (message: object) => run.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  send({
    id: 'opening',
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  await run.says('"id":"opening"');
  send({ method: 'notifications/initialized' });
  send({
    id: 'making',
    method: 'tools/call',
    params: { name: 'sandbox_create', arguments: { name: 'made' } },
  });
  await run.says('"id":"making"');
  send({ id: 'calling', method: 'tools/call', params: tool });
  await run.says('"id":"calling"');
  run.stdin.end();
  return run.ended;
}

async function names({ backend }: TestCli): Promise<string[]> {
  return (await backend.list()).map(({ name }) => name);
}

test('what a client makes is deleted when it ends, and what was there stays, whatever it asks', async () => {
  await using cli = await openTestCli();
  const tool = { name: 'sandbox_remove', arguments: { sandbox: 'default' } };
  const { code, stdout } = await makeOne(cli, { tool, flags: [] });
  expect(code).toBe(0);
  expect(stdout).toContain('forbidden: ');
  // Standard output is for the protocol alone.
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('jsonrpc', '2.0');
  expect(await names(cli)).toEqual(['default']);
});

test('with --keep it stays', async () => {
  await using cli = await openTestCli();
  const tool = { name: 'sandbox_exec', arguments: { command: 'echo of default > kept' } };
  expect((await makeOne(cli, { tool, flags: ['--keep'] })).code).toBe(0);
  expect((await names(cli)).toSorted()).toEqual(['default', 'made']);
  expect((await cli.run('exec', '--', 'cat', 'kept')).stdout).toBe('of default\n');
});

test('a message that is none is told of, and the next is served', async () => {
  await using cli = await openTestCli();
  const run = cli.start('mcp');
  run.stdin.write('no message\n');
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  run.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await run.says('"id":1');
  run.stdin.end();
  expect((await run.ended).code).toBe(0);
});

test('goes through whoever serves the folder', async () => {
  await using cli = await openTestCli();
  const daemon = cli.start('daemon');
  await daemon.says('answers at');
  const tool = { name: 'sandbox_exec', arguments: { command: 'echo by the daemon > served' } };
  expect((await makeOne(cli, { tool, flags: [] })).code).toBe(0);
  expect((await cli.run('exec', '--', 'cat', 'served')).stdout).toBe('by the daemon\n');
  expect(await names(cli)).toEqual(['default']);
  daemon.signal('SIGTERM');
  await daemon.ended;
});
