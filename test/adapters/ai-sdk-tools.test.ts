import { generateText, isStepCount } from 'ai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Sandbox } from '../../cli/index.ts';
import { modelThatCalls } from '../../examples/agents/mock-ai-sdk.ts';
import { createAiSdkTools } from '../../sdk/adapters/ai-sdk-tools.ts';
import { createOpenAiFunctions } from '../../sdk/adapters/openai-functions.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.create();
});
afterEach(() => sandbox.close());

test('S-13 a model of the AI SDK runs a command, and undoes it', async () => {
  const model = modelThatCalls(
    { toolName: 'write', input: { path: 'notes/a.txt', text: 'one\n' } },
    { toolName: 'run', input: { command: 'rm -r notes; echo gone; exit 3' } },
    { toolName: 'undo', input: {} },
    { toolName: 'read', input: { path: 'notes/a.txt', firstLine: null } },
  );
  const { steps } = await generateText({
    model,
    tools: createAiSdkTools(sandbox),
    prompt: 'Tidy up.',
    stopWhen: isStepCount(9),
  });
  const [write, run, undo, read] = steps.flatMap(({ toolResults }) =>
    toolResults.map(({ output }) => output),
  );
  const id = expect.stringMatching(/^[0-9a-f]{12}$/);
  expect(write).toEqual({ path: '/home/user/notes/a.txt', snapshot: id });
  expect(run).toMatchObject({ exitCode: 3, stdout: 'gone\n', stderr: '', snapshot: id });
  expect(undo).toEqual({
    snapshot: (write as { snapshot: string }).snapshot,
    previousHead: id,
  });
  expect(read).toEqual({ text: 'one\n', lines: 1 });
});

test('S-13 what the model does wrong is an answer that says how to mend it', async () => {
  const model = modelThatCalls(
    { toolName: 'read', input: { path: 'no-such-file' } },
    { toolName: 'edit', input: { path: 'x' } },
    { toolName: 'undo', input: {} },
  );
  const { steps } = await generateText({
    model,
    tools: createAiSdkTools(sandbox),
    prompt: 'Go on.',
    stopWhen: isStepCount(9),
  });
  const answers = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
  expect(answers).toEqual([
    { error: expect.stringMatching(/^not-found: /) },
    { error: 'invalid-argument: Cannot call edit: "old" has to be a string' },
    { error: 'not-found: Cannot undo: no step is known; name a snapshot to check out' },
  ]);
});

test('H-8 an abort ends the command that runs', async () => {
  const stop = new AbortController();
  const model = modelThatCalls({ toolName: 'run', input: { command: 'touch /tmp/begun; sleep 600' } });
  const tools = createAiSdkTools(sandbox, { only: ['run'] });
  const text = generateText({
    model,
    tools,
    prompt: 'Wait.',
    abortSignal: stop.signal,
    stopWhen: isStepCount(2),
  });
  await expect.poll(() => sandbox.files.exists('/tmp/begun')).toBe(true);
  stop.abort();
  await expect(text).rejects.toThrow();
  // The next step does not wait for it.
  const { chatTools, call } = createOpenAiFunctions(sandbox, { only: ['run', 'undo'] });
  expect(chatTools.map((tool) => tool.function.name)).toEqual(['run', 'undo']);
  expect(JSON.parse(await call('run', '{"command":"echo on"}'))).toMatchObject({ stdout: 'on\n' });
  await call('undo', '');
  expect(await sandbox.files.exists('/tmp/begun')).toBe(false);
});
