import { generateText, isStepCount } from 'ai';
import { createBashTool } from 'bash-tool';
import { expect, test } from 'vitest';
import { Sandbox } from '../../cli/index.ts';
import { modelThatCalls } from '../../examples/agents/mock-ai-sdk.ts';
import { createAiSdkTools } from '../../sdk/adapters/ai-sdk-tools.ts';
import { createBashToolSandbox } from '../../sdk/adapters/bash-tool.ts';

test("S-13 bash-tool's tools work in the sandbox, and undo takes back what they did", async () => {
  await using sandbox = await Sandbox.create();
  const { tools } = await createBashTool({
    sandbox: createBashToolSandbox(sandbox),
    destination: '/home/user/work',
    files: { 'src/a.txt': 'a\n' },
  });
  const { steps } = await generateText({
    model: modelThatCalls(
      { toolName: 'bash', input: { command: 'cat src/a.txt; rm src/a.txt; seq 20000' } },
      { toolName: 'undo', input: {} },
      { toolName: 'readFile', input: { path: 'src/a.txt' } },
      { toolName: 'writeFile', input: { path: 'deep/er/b.txt', content: 'b' } },
      { toolName: 'bash', input: { command: 'exec bash -c "cat deep/er/b.txt; exit 9"' } },
    ),
    tools: { ...tools, ...createAiSdkTools(sandbox, { only: ['undo'] }) },
    prompt: 'Go on.',
    stopWhen: isStepCount(9),
  });
  const [cat, , read, write, last] = steps.flatMap(({ toolResults }) =>
    toolResults.map(({ output }) => output),
  );
  const id = expect.stringMatching(/^[0-9a-f]{12}$/);
  expect(cat).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^a\n1\n.* of 108896 characters left out/s),
  });
  expect(cat).toMatchObject({ snapshot: id, changed: ['/home/user/work/src/a.txt'] });
  expect(read).toEqual({ content: 'a\n' });
  expect(write).toEqual({ success: true });
  expect(last).toMatchObject({ exitCode: 9, stdout: 'b' });
});
