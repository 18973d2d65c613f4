import { generateText, isStepCount } from 'ai';
import { createBashTool } from 'bash-tool';
import { Sandbox } from 'coppice';
import { createAiSdkTools } from 'coppice/ai-sdk-tools';
import { createBashToolSandbox } from 'coppice/bash-tool';
import { modelThatCalls } from './mock-ai-sdk.ts';

// Put a model of yours here: this one calls what it is told to.
const model = modelThatCalls(
  { toolName: 'bash', input: { command: 'rm notes.txt && ls' } },
  { toolName: 'undo', input: {} },
  { toolName: 'readFile', input: { path: 'notes.txt' } },
);

await using sandbox = await Sandbox.create();
const { tools } = await createBashTool({
  sandbox: createBashToolSandbox(sandbox),
  destination: '/home/user/work',
  files: { 'notes.txt': 'coppice: to cut back, so that it grows again\n' },
});
const { steps } = await generateText({
  model,
  tools: { ...tools, ...createAiSdkTools(sandbox, { only: ['undo', 'checkout'] }) },
  prompt: 'Tidy up, and take back what was too much.',
  stopWhen: isStepCount(20),
});
for (const { toolResults } of steps) {
  for (const { toolName, output } of toolResults) console.log(toolName, JSON.stringify(output));
}
