import { Runner } from '@openai/agents-core';
import { filesystem, Manifest, SandboxAgent, shell } from '@openai/agents-core/sandbox';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing';
import { AgentsClient, history } from 'coppice/openai-agents';

// Put a model of yours here: this one calls what it is told to.
const model = new ScriptedModel([
  [functionCall('exec_command', JSON.stringify({ cmd: 'wc -l < numbers; rm numbers' }), { callId: '1' })],
  [functionCall('undo', '{}', { callId: '2' })],
  [functionCall('exec_command', JSON.stringify({ cmd: 'cat numbers' }), { callId: '3' })],
  [assistantMessage('There are two, and they are still there.')],
]);

const agent = new SandboxAgent({
  name: 'counter',
  model,
  instructions: 'Count the numbers.',
  defaultManifest: new Manifest({ entries: { numbers: { type: 'file', content: '1\n2\n' } } }),
  capabilities: [shell(), filesystem(), history()],
});
const result = await new Runner({ tracingDisabled: true }).run(agent, 'How many numbers are there?', {
  sandbox: { client: new AgentsClient() },
});
for (const item of result.newItems) {
  if (item.type === 'tool_call_output_item') console.log(item.output);
}
console.log(result.finalOutput);
