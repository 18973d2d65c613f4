import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A stand-in for the model of an agent: it has each command of a script run by a shell, one answer each, and ends. */
export interface ScriptedModel extends AsyncDisposable {
  readonly url: string;
  /** Commands that were asked for until now. */
  readonly asked: number;
}

export interface ModelOptions {
  readonly hostname?: string;
  /** Awaited before a command is answered: the one before it has ended then. */
  readonly before?: (command: string) => Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

/** A tool call, or the words of the end. */
type Turn = { readonly command: string; readonly id: string } | { readonly text: string };

/**
 * Serves the Messages API of Anthropic and the Responses API of OpenAI, as far as their agents use them, on loopback or `hostname`.
 * What an agent asks besides, without tools, is answered by words.
 */
export async function serveScriptedModel(
  commands: readonly string[],
  { hostname = '127.0.0.1', before = async () => undefined }: ModelOptions = {},
): Promise<ScriptedModel> {
  let asked = 0;
  const next = async (): Promise<Turn> => {
    const command = commands[asked];
    if (command === undefined) return { text: 'All is done.' };
    asked += 1;
    await before(command);
    return { command, id: `call_${asked}` };
  };
  const server = createServer((request, response) => {
    answer(request, response, next).catch((error) => response.destroy(error));
  });
  server.listen(0, hostname);
  await once(server, 'listening');
  return {
    url: `http://${hostname}:${(server.address() as AddressInfo).port}`,
    get asked() {
      return asked;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  next: () => Promise<Turn>,
): Promise<void> {
  const path = (request.url ?? '').replace(/\?.*/, '');
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body: Json = parts.length > 0 ? JSON.parse(Buffer.concat(parts).toString()) : {};
  const tools = Array.isArray(body.tools) ? body.tools.map((tool: Json) => String(tool.name)) : [];
  const shell = ['Bash', 'exec_command', 'shell_command', 'shell'].find((name) => tools.includes(name));
  const turn = shell === undefined ? { text: 'Nothing to say.' } : await next();
  const send = (events: readonly Json[]) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
  if (path === '/v1/messages') send(messageEvents(turn));
  else if (path === '/v1/responses') send(responseEvents(turn, shell ?? ''));
  else response.writeHead(path.endsWith('count_tokens') ? 200 : 404).end('{"input_tokens":1}');
}

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
function messageEvents(turn: Turn): readonly Json[] {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content: [], usage };
  const isCall = 'command' in turn;
  const block = isCall
    ? { type: 'tool_use', id: `toolu_${turn.id}`, name: 'Bash', input: {} }
    : { type: 'text', text: '' };
  const input = isCall ? { command: turn.command, description: 'a step of the script' } : undefined;
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
    : { type: 'text_delta', text: turn.text };
  const stop = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null };
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: stop, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
}

/** https://platform.openai.com/docs/api-reference/responses-streaming */
function responseEvents(turn: Turn, shell: string): readonly Json[] {
  const item =
    'command' in turn
      ? {
          type: 'function_call',
          id: `fc_${turn.id}`,
          call_id: turn.id,
          name: shell,
          arguments: callOf(shell, turn.command),
        }
      : {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          content: [{ type: 'output_text', text: turn.text }],
        };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', usage, output: [] } },
  ];
}

function callOf(shell: string, command: string): string {
  if (shell === 'exec_command') return JSON.stringify({ cmd: command });
  return JSON.stringify({ command: shell === 'shell' ? ['bash', '-lc', command] : command });
}
