import { type ApplyPatchOperation, Runner } from '@openai/agents-core';
import { Capabilities, Manifest, SandboxAgent } from '@openai/agents-core/sandbox';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing';
import { afterEach, expect, test } from 'vitest';
import { Sandbox } from '../../cli/index.ts';
import { limits } from '../../protocol/limits.ts';
import { AgentsClient, createAgentsSession, history } from '../../sdk/adapters/openai-agents.ts';

afterEach(async () => {
  for (const { id } of await Sandbox.list()) await Sandbox.delete(id);
});

const manifest = new Manifest({
  root: '/workspace',
  environment: { GREETING: 'hi' },
  entries: {
    'src/a.txt': { type: 'file', content: 'one\ntwo\n' },
    bin: { type: 'dir', children: { go: { type: 'file', content: 'echo $GREETING', permissions: 0o755 } } },
  },
});

/** Runs an agent whose model calls these tools, one after the other. Answers what it was told. */
async function run(sandbox: object, ...calls: readonly { name: string; input: object }[]) {
  const model = new ScriptedModel([
    ...calls.map(({ name, input }, index) => [
      name === 'apply_patch'
        ? {
            type: 'apply_patch_call' as const,
            callId: `c${index}`,
            status: 'completed' as const,
            operation: input as ApplyPatchOperation,
          }
        : functionCall(name, JSON.stringify(input), { callId: `c${index}` }),
    ]),
    [assistantMessage('done')],
  ]);
  const agent = new SandboxAgent({
    name: 'tester',
    model,
    defaultManifest: manifest,
    capabilities: [...Capabilities.default().filter(({ type }) => type !== 'compaction'), history()],
  });
  const result = await new Runner({ tracingDisabled: true }).run(agent, 'Go on.', { sandbox, maxTurns: 20 });
  const outputs = result.newItems.flatMap((item) =>
    item.type === 'tool_call_output_item' ? [String(item.output)] : [],
  );
  return { result, outputs };
}

const id = '[0-9a-f]{12}';

test('S-13 a sandbox agent runs commands, patches files and undoes it, in a sandbox of its run', async () => {
  const update = {
    type: 'update_file',
    path: 'src/a.txt',
    moveTo: 'src/b.txt',
    diff: '@@\n one\n-two\n+2\n',
  };
  const { outputs, result } = await run(
    { client: new AgentsClient() },
    { name: 'exec_command', input: { cmd: 'pwd; bin/go; cat src/a.txt; exit 3' } },
    { name: 'apply_patch', input: update },
    { name: 'apply_patch', input: { type: 'update_file', path: 'none', diff: '@@\n-a\n+b\n' } },
    { name: 'exec_command', input: { cmd: 'cat b.txt; rm b.txt; ls', workdir: 'src' } },
    { name: 'undo', input: {} },
    { name: 'exec_command', input: { cmd: 'cat src/b.txt' } },
  );
  expect(result.finalOutput).toBe('done');
  expect(outputs[0]).toMatch(
    new RegExp(`^Snapshot: ${id}\n.*Process exited with code 3\nOutput:\n/workspace\nhi\none\ntwo\n`, 's'),
  );
  expect(outputs[1]).toMatch(new RegExp(`^Snapshot: ${id}$`));
  expect(outputs[2]).toMatch(/^not-found: .*none/);
  expect(outputs[3]).toMatch(/Output:\none\n2\n$/);
  expect(outputs[4]).toMatch(new RegExp(`"previousHead":"${id}"`));
  expect(outputs[5]).toMatch(/Output:\none\n2\n$/);
  expect(await Sandbox.list()).toEqual([]);
});

test('S-13 a command goes on past its call, takes input in a terminal, and can be interrupted', async () => {
  await using sandbox = await Sandbox.create();
  const session = await createAgentsSession(sandbox, manifest);
  const { outputs } = await run(
    { session },
    { name: 'exec_command', input: { cmd: 'read x; echo "got $x"; exit 4', tty: true, yield_time_ms: 0 } },
    { name: 'write_stdin', input: { session_id: 1, chars: 'me\n', yield_time_ms: 20_000 } },
    { name: 'exec_command', input: { cmd: 'echo begun; sleep 600', yield_time_ms: 500 } },
    { name: 'write_stdin', input: { session_id: 2, chars: 'x' } },
    { name: 'write_stdin', input: { session_id: 2, chars: '\u0003', yield_time_ms: 20_000 } },
    { name: 'write_stdin', input: { session_id: 2 } },
  );
  expect(outputs[0]).toMatch(/Process running with session ID 1/);
  expect(outputs[1]).toMatch(/Process exited with code 4\nOutput:\n.*got me/s);
  expect(outputs[2]).toMatch(/session ID 2\nOutput:\nbegun/);
  expect(outputs[3]).toMatch(/start it with tty=true/);
  expect(outputs[4]).toMatch(/Process exited with code 137/);
  expect(outputs[5]).toMatch(/it has ended/);
  // It is the user's, and stays open.
  await session.close();
  expect(await sandbox.files.exists('/workspace/src/a.txt')).toBe(true);
});

test('S-13 a sandbox that is kept goes on in a later run', async () => {
  const client = new AgentsClient({ keep: true });
  const first = await run({ client }, { name: 'exec_command', input: { cmd: 'echo kept > file' } });
  expect(await Sandbox.list()).toHaveLength(1);
  const session = await client.create({ manifest });
  await session.exec({ cmd: 'echo mine > file' });
  const saved = JSON.parse(JSON.stringify(await client.serializeSessionState(session.state)));
  await session.close();
  const other = new AgentsClient({ keep: true });
  const resumed = await other.resume(await other.deserializeSessionState(saved));
  expect((await resumed.exec({ cmd: 'cat file; echo $GREETING' })).stdout).toBe('mine\nhi\n');
  await resumed.close();
  const sessionState = await other.deserializeSessionState(saved);
  const second = await run(
    { client: other, sessionState },
    { name: 'exec_command', input: { cmd: 'cat file' } },
  );
  expect(second.outputs[0]).toMatch(/Output:\nmine\n$/);
  await other.delete(resumed.state);
  expect(first.result.finalOutput).toBe('done');
  await expect(other.resume(resumed.state)).rejects.toMatchObject({ code: 'not-found' });
  await expect(other.deserializeSessionState({})).rejects.toMatchObject({ code: 'invalid-argument' });
});

test('S-13 of output that nobody takes the end is kept, with a word about the rest', async () => {
  await using sandbox = await Sandbox.create();
  const session = await createAgentsSession(sandbox, manifest);
  const most = limits.agentOutputCharacters;
  const { stdout, output } = await session.exec({
    cmd: `head -c ${3 * most} /dev/zero | tr '\\0' x; echo end`,
  });
  expect(stdout.startsWith(`[...${2 * most + 4} characters truncated from process output...]\nxxx`)).toBe(
    true,
  );
  expect(output.length).toBeLessThan(limits.modelOutputCharacters + 100);
  expect(output.endsWith('xend\n')).toBe(true);
  const texts = await Promise.all(
    Array.from({ length: limits.agentProcesses }, () =>
      session.execCommand({ cmd: 'sleep 600', yieldTimeMs: 0 }),
    ),
  );
  expect(texts.at(-1)).toMatch(/session ID/);
  await expect(session.execCommand({ cmd: 'true' })).rejects.toMatchObject({ code: 'busy' });
  await session.close();
  expect(await session.execCommand({ cmd: 'true' })).toMatch(/exited with code 0/);
});

test('S-13 the workspace goes along as an archive, and images are shown', async () => {
  await using sandbox = await Sandbox.create();
  const session = await createAgentsSession(sandbox, manifest);
  const archive = await session.persistWorkspace();
  await session.exec({ cmd: 'rm -r src; mkdir -p src/a.txt new; touch new/file .hidden' });
  await expect(session.hydrateWorkspace('no archive')).rejects.toMatchObject({ code: 'invalid-argument' });
  expect(await session.pathExists('new/file')).toBe(true);
  await session.hydrateWorkspace(archive);
  expect(new TextDecoder().decode(await session.readFile({ path: 'src/a.txt', maxBytes: 3 }))).toBe('one');
  expect(await session.listDir({ path: '.' })).toEqual([
    { name: 'bin', path: '/workspace/bin', type: 'dir' },
    { name: 'src', path: '/workspace/src', type: 'dir' },
  ]);
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  await sandbox.files.write('/workspace/dot.png', png);
  expect(await session.viewImage({ path: 'dot.png' })).toMatchObject({
    image: { data: png, mediaType: 'image/png' },
  });
  expect([await session.pathExists('src'), await session.directoryExists('src/a.txt')]).toEqual([
    true,
    false,
  ]);
});

test('S-13 what the sandbox cannot do is refused with the remedy, and leaves nothing behind', async () => {
  const client = new AgentsClient();
  const repository = new Manifest({ entries: { repo: { type: 'git_repo', repo: 'a/b' } } });
  await expect(client.create(repository)).rejects.toMatchObject({ details: { feature: 'git_repo' } });
  expect(await Sandbox.list()).toEqual([]);
  const session = await client.create();
  await expect(session.exec({ cmd: 'id', runAs: 'nobody' })).rejects.toMatchObject({ code: 'unsupported' });
  await expect(session.resolveExposedPort(80)).rejects.toMatchObject({ code: 'unsupported' });
  await session.close();
  await session.close();
});

test('S-13 a port is where the client says, and refused where it says nothing', async () => {
  const exposePort = (port: number) => ({ host: 'sandboxes.example', port: port + 1, tls: true });
  const session = await new AgentsClient({ exposePort }).create(manifest);
  expect(await session.resolveExposedPort(8_000)).toEqual({
    host: 'sandboxes.example',
    port: 8_001,
    tls: true,
  });
  await session.close();
  const without = await new AgentsClient().create(manifest);
  await expect(without.resolveExposedPort(8_000)).rejects.toMatchObject({ code: 'unsupported' });
  await without.close();
});
