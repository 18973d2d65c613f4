import { Sandbox } from 'coppice';
import { createOpenAiFunctions } from 'coppice/openai-functions';

await using sandbox = await Sandbox.create();
const functions = createOpenAiFunctions(sandbox);

// Send `functions.chatTools` with each request to a model; this is what one answers.
const calls = [
  { id: '1', function: { name: 'run', arguments: '{"command":"date > now; wc -l < now"}' } },
  { id: '2', function: { name: 'undo', arguments: '{}' } },
  { id: '3', function: { name: 'list', arguments: '{}' } },
];
console.log(functions.chatTools.map((tool) => tool.function.name).join(' '));
for (const call of calls) {
  const message = await functions.answerChat(call);
  console.log(message.tool_call_id, message.content);
}
