import { Manifest } from '@openai/agents-core/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Host } from '../../bridge-server/main/open-host.ts';
import { createAiSdkSession } from '../../sdk/adapters/ai-sdk-session.ts';
import { AgentsClient } from '../../sdk/adapters/openai-agents.ts';
import { createOpenAiFunctions } from '../../sdk/adapters/openai-functions.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { openTestHost } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack('overlay');
describe.skipIf(lack)(`S-13 adapters over a jail${lack ? ` (not here: ${lack})` : ''}`, () => {
  let host: Host;
  beforeAll(async () => {
    host = await openTestHost('overlay');
  });
  afterAll(() => host?.[Symbol.asyncDispose]());

  test('S-13 a model changes files, is told of them, and undoes it', async () => {
    await using sandbox = await Sandbox.create({ backend: host.backend });
    const functions = createOpenAiFunctions(sandbox, { timeoutMs: 20_000 });
    const call = async (name: string, input: object) =>
      JSON.parse(await functions.call(name, JSON.stringify(input)));
    const write = await call('write', { path: 'deep/a', text: 'one\n' });
    expect(write).toEqual({ path: '/home/user/deep/a', snapshot: expect.stringMatching(/^[0-9a-f]{12}$/) });
    const run = await call('run', { command: 'cat deep/a; echo two > deep/a; id -un; exit 3' });
    expect(run).toMatchObject({ exitCode: 3, stdout: 'one\nuser\n', changed: ['/home/user/deep/a'] });
    expect(await call('undo', {})).toEqual({ snapshot: write.snapshot, previousHead: run.snapshot });
    expect(await call('read', { path: 'deep/a' })).toMatchObject({ text: 'one\n' });
  });

  test('S-13 processes of the AI SDK stream, take input, and are killed with all that they started', async () => {
    await using sandbox = await Sandbox.create({ backend: host.backend });
    const session = createAiSdkSession(sandbox);
    const cat = await session.spawn({ command: 'cat', stdin: true });
    const writer = cat.stdin.getWriter();
    await writer.write(new TextEncoder().encode('hello\n'));
    await writer.close();
    expect(await new Response(cat.stdout).text()).toBe('hello\n');
    expect(await cat.wait()).toEqual({ exitCode: 0 });
    const sleep = await session.spawn({ command: 'sleep 600 & sleep 600' });
    await sleep.kill();
    expect(await sleep.wait()).toEqual({ exitCode: 137 });
  });

  test('S-13 the workspace of an agent is its own, and goes on in another run', async () => {
    const client = new AgentsClient({ backend: host.backend, keep: true });
    const manifest = new Manifest({
      entries: { 'src/a': { type: 'file', content: 'a\n', permissions: 0o750 } },
    });
    const session = await client.create({ manifest });
    const made = await session.exec({ cmd: 'pwd; stat -c "%U %a" . src/a; echo b > b; cat src/a' });
    expect(made).toMatchObject({ exitCode: 0, stdout: '/workspace\nuser 755\nuser 750\na\n' });
    const terminal = await session.exec({ cmd: 'read x; tty; echo "got $x"', tty: true, yieldTimeMs: 100 });
    expect(
      await session.writeStdin({ sessionId: terminal.sessionId ?? 0, chars: 'it\n', yieldTimeMs: 20_000 }),
    ).toMatch(/Process exited with code 0\nOutput:\n.*\/dev\/pts\/\d+\r\ngot it/s);
    const archive = await session.persistWorkspace();
    await session.close();
    const again = await client.resume(session.state);
    await again.exec({ cmd: 'rm -r src b' });
    await again.hydrateWorkspace(archive);
    expect((await again.exec({ cmd: 'cat src/a b' })).stdout).toBe('a\nb\n');
    await again.close();
    await client.delete(session.state);
  });
});
