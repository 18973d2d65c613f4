import { Sandbox } from 'coppice';
import { createAnthropicTools } from 'coppice/anthropic-tools';
import { anthropicThatCalls } from './mock-anthropic.ts';

// Put `new Anthropic()` here: the model of this client calls what it is told to.
const { client, results } = anthropicThatCalls(
  { name: 'bash', input: { command: 'echo 1 > state; cat state' } },
  {
    name: 'str_replace_based_edit_tool',
    input: { command: 'str_replace', path: 'state', old_str: '1', new_str: '2' },
  },
  { name: 'memory', input: { command: 'create', path: '/memories/state', file_text: 'It was 1.' } },
  { name: 'bash', input: { command: 'cat state' } },
);

await using sandbox = await Sandbox.create();
// What a model is to remember past an undo is in a sandbox of its own.
await using memories = await Sandbox.create();
const { bash, textEditor, history } = createAnthropicTools(sandbox);
const { memory } = createAnthropicTools(memories);
await client.beta.messages
  .toolRunner({
    model: 'claude-sonnet-5',
    max_tokens: 1_000,
    messages: [{ role: 'user', content: 'Make it 2, and remember what it was.' }],
    tools: [bash, textEditor, memory, ...history],
  })
  .runUntilDone();
for (const { content } of results) console.log(content);
