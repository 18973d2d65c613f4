import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { Sandbox } from 'coppice';
import { createAiSdkSession } from 'coppice/ai-sdk-session';
import { modelThatCalls } from './mock-ai-sdk.ts';

// Put a model of yours here: this one calls what it is told to.
const model = modelThatCalls({ toolName: 'count', input: { word: 'tree' } });

/** A tool that works in whatever sandbox generateText was given. */
const count = tool({
  description: 'Counts the files that contain a word.',
  inputSchema: jsonSchema<{ word: string }>({
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
  }),
  execute: async ({ word }, { experimental_sandbox: session }) =>
    session?.run({ command: 'grep -rlF "$WORD" . | wc -l', env: { WORD: word } }),
});

await using sandbox = await Sandbox.create();
await sandbox.run('echo tree > a; echo forest > b; echo trees > c');
const { steps } = await generateText({
  model,
  tools: { count },
  experimental_sandbox: createAiSdkSession(sandbox),
  prompt: 'How many files are about trees?',
  stopWhen: isStepCount(20),
});
console.log(steps[0]?.toolResults[0]?.output);
