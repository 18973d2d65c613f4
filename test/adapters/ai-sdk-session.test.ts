import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Sandbox } from '../../cli/index.ts';
import { modelThatCalls } from '../../examples/agents/mock-ai-sdk.ts';
import { type AiSdkSession, createAiSdkSession } from '../../sdk/adapters/ai-sdk-session.ts';
import { createBashToolSandbox } from '../../sdk/adapters/bash-tool.ts';
import { createOpenAiFunctions } from '../../sdk/adapters/openai-functions.ts';

let sandbox: Sandbox;
let session: AiSdkSession;
beforeEach(async () => {
  sandbox = await Sandbox.create();
  session = createAiSdkSession(sandbox, { cwd: '/home/user/work' });
  await sandbox.files.makeDirectory('/home/user/work');
});
afterEach(() => sandbox.close());

test('S-13 a tool of the AI SDK works in the sandbox that generateText hands on', async () => {
  const build = tool({
    description: 'Builds.',
    inputSchema: jsonSchema<{ target: string }>({
      type: 'object',
      properties: { target: { type: 'string' } },
    }),
    execute: async ({ target }, { experimental_sandbox: given }) => {
      await given?.writeTextFile({ path: 'src/a', content: 'a\n' });
      return given?.run({ command: `cat src/a > ${target}; pwd; exit 4`, env: { A: '1' } });
    },
  });
  const { steps } = await generateText({
    model: modelThatCalls({ toolName: 'build', input: { target: 'out' } }),
    tools: { build },
    experimental_sandbox: session,
    prompt: 'Build it.',
    stopWhen: isStepCount(3),
  });
  const [result] = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
  expect(result).toMatchObject({
    exitCode: 4,
    stdout: '/home/user/work\n',
    changed: ['/home/user/work/out'],
    snapshot: expect.stringMatching(/^[0-9a-f]{12}$/),
  });
  await sandbox.files.remove('/home/user/work/out');
  await sandbox.checkout((result as { snapshot: string }).snapshot);
  expect(await session.readTextFile({ path: 'out' })).toBe('a\n');
});

test('S-13 files are read, written, looked at and deleted as the session promises', async () => {
  await session.writeBinaryFile({ path: 'd/bytes', content: Uint8Array.of(0, 255) });
  await session.writeFile({ path: 'd/text', content: new Blob(['one\ntwo\nthree']).stream() });
  await sandbox.run('ln -s d link; ln -s nowhere dead; ln -s loop loop', { cwd: '/home/user/work' });
  expect(await session.readBinaryFile({ path: 'd/bytes' })).toEqual(Uint8Array.of(0, 255));
  const stream = await session.readFile({ path: '/home/user/work/d/text' });
  expect(await new Response(stream).text()).toBe('one\ntwo\nthree');
  expect(await session.readTextFile({ path: 'd/text', startLine: 2, endLine: 9 })).toBe('two\nthree');
  expect(await session.readTextFile({ path: 'none' })).toBeNull();
  expect(await session.readFile({ path: 'none' })).toBeNull();
  expect(await session.stat({ path: 'link' })).toMatchObject({ type: 'directory' });
  expect(await session.stat({ path: 'd/bytes' })).toEqual({ type: 'file', size: 2 });
  expect(await session.stat({ path: 'dead' })).toBeNull();
  await expect(session.stat({ path: 'loop' })).rejects.toMatchObject({ code: 'invalid-argument' });
  expect(await session.listDirectory({ path: '.' })).toEqual([
    { name: 'd', type: 'directory' },
    { name: 'dead', type: 'symlink' },
    { name: 'link', type: 'symlink' },
    { name: 'loop', type: 'symlink' },
  ]);
  expect(await session.listDirectory({ path: 'none' })).toBeNull();
  await expect(session.listDirectory({ path: 'd/text' })).rejects.toMatchObject({ code: 'invalid-argument' });
  await expect(session.writeTextFile({ path: 'd', content: '' })).rejects.toThrow();
  await expect(session.writeTextFile({ path: 'x', content: '', encoding: 'utf-16le' })).rejects.toMatchObject(
    {
      code: 'unsupported',
    },
  );
  expect(await session.deleteFile({ path: 'link' })).toBe(true);
  expect(await session.deleteFile({ path: 'link' })).toBe(false);
  await expect(session.deleteFile({ path: 'd' })).rejects.toMatchObject({ code: 'invalid-argument' });
});

test('S-13 run answers all of the output, and ends what takes too long, so that later steps go on', async () => {
  const { stdout } = await session.run({ command: 'seq 20000; echo error >&2' });
  expect(stdout).toBe(Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''));
  const impatient = createAiSdkSession(sandbox, { timeoutMs: 3_000 });
  const endless = impatient.run({ command: 'echo on; sleep 600' });
  const next = session.run({ command: 'echo next' });
  expect(await endless).toMatchObject({ stdout: 'on\n', ended: expect.stringMatching('time limit') });
  expect(await next).toMatchObject({ stdout: 'next\n' });
});

test('S-13 what the session writes and deletes is undone, one step after the other', async () => {
  const functions = createOpenAiFunctions(sandbox, { only: ['undo'] });
  await session.writeTextFile({ path: 'a', content: 'one' });
  await session.writeTextFile({ path: 'a', content: 'two' });
  await session.deleteFile({ path: 'a' });
  await functions.call('undo', '');
  expect(await session.readTextFile({ path: 'a' })).toBe('two');
  await functions.call('undo', '');
  expect(await session.readTextFile({ path: 'a' })).toBe('one');
});

test('S-13 a byte order mark is read as it is in the file', async () => {
  const text = '\uFEFFone';
  await session.writeTextFile({ path: 'a', content: text });
  expect(await session.readTextFile({ path: 'a' })).toBe(text);
  expect(await createBashToolSandbox(sandbox).readFile('/home/user/work/a')).toBe(text);
});

test('S-13 a process that was spawned streams its output, takes input and can be killed', async () => {
  const process = await session.spawn({
    command: 'read line; echo "got $line"; echo oops >&2; exit 5',
    stdin: true,
  });
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode('hello\n'));
  await writer.close();
  expect(await new Response(process.stdout).text()).toBe('got hello\n');
  expect(await process.wait()).toEqual({ exitCode: 5 });
  // Nobody has read it, and the process has ended all the same.
  expect(await new Response(process.stderr).text()).toBe('oops\n');
  const sleep = await session.spawn({ command: 'echo on; sleep 600' });
  expect(sleep).not.toHaveProperty('stdin');
  await sleep.kill();
  await sleep.kill();
  expect((await sleep.wait()).exitCode).toBe(137);
});

test('H-8 what is aborted rejects with the reason', async () => {
  const stop = new AbortController();
  const process = await session.spawn({ command: 'sleep 600', abortSignal: stop.signal });
  const reason = new Error('enough');
  stop.abort(reason);
  await expect(process.wait()).rejects.toBe(reason);
  await expect(new Response(process.stdout).text()).rejects.toThrow();
  await expect(session.run({ command: 'echo', abortSignal: stop.signal })).rejects.toBe(reason);
  await expect(session.readFile({ path: 'x', abortSignal: stop.signal })).rejects.toBe(reason);
});
