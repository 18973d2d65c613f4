import { generateText, isStepCount } from 'ai';
import { Sandbox } from 'coppice';
import { createAiSdkTools } from 'coppice/ai-sdk-tools';
import { modelThatCalls } from './mock-ai-sdk.ts';

// Put a model of yours here: this one calls what it is told to.
const model = modelThatCalls(
  { toolName: 'write', input: { path: 'numbers', text: '3\n1\n2\n' } },
  { toolName: 'run', input: { command: 'sort -o numbers numbers; cat numbers' } },
  { toolName: 'undo', input: {} },
  { toolName: 'read', input: { path: 'numbers' } },
);

await using sandbox = await Sandbox.create();
const { steps } = await generateText({
  model,
  tools: createAiSdkTools(sandbox),
  prompt: 'Sort the numbers, and then put them back.',
  stopWhen: isStepCount(20),
});
for (const { toolResults } of steps) {
  for (const { toolName, output } of toolResults) console.log(toolName, JSON.stringify(output));
}
