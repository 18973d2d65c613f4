import type { Sandbox } from '../sandbox.ts';
import type { ModelTool, ToolParameters } from './define-tool.ts';
import { sandboxTools, type ToolOptions } from './sandbox-tools.ts';

/** A tool as the Chat Completions API and those like it take it. */
export interface ChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: ToolParameters & Record<string, unknown>;
  };
}

/** A tool as the Responses API takes it. */
export interface ResponseTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolParameters & Record<string, unknown>;
  readonly strict: false;
}

/** A call of a model's message, of the Chat Completions API. */
interface ChatCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** An item of a model's output, of the Responses API. */
interface ResponseCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A sandbox as functions of OpenAI's kind. */
export interface OpenAiFunctions {
  readonly chatTools: ChatTool[];
  readonly responseTools: ResponseTool[];
  /** Answers with JSON; a wrong name or wrong arguments are an answer too. @throws aborted, connection-lost */
  call(name: string, argumentsJson: string, options?: CallOptions): Promise<string>;
  /** The message that follows a call of a chat. @throws what `call` does */
  answerChat(
    call: ChatCall,
    options?: CallOptions,
  ): Promise<{ role: 'tool'; tool_call_id: string; content: string }>;
  /** The item that follows a call of a response. @throws what `call` does */
  answerResponse(
    call: ResponseCall,
    options?: CallOptions,
  ): Promise<{ type: 'function_call_output'; call_id: string; output: string }>;
}

/** A sandbox's tools for a model of any API that has OpenAI's form of functions. */
export function createOpenAiFunctions(sandbox: Sandbox, options: ToolOptions = {}): OpenAiFunctions {
  const tools = new Map<string, ModelTool>(sandboxTools(sandbox, options).map((tool) => [tool.name, tool]));
  const call: OpenAiFunctions['call'] = async (name, argumentsJson, { signal } = {}) => {
    const tool = tools.get(name);
    const input = parseArguments(argumentsJson);
    if (!tool)
      return JSON.stringify({ error: `There is no function of this name; there are ${[...tools.keys()]}` });
    if (!input) return JSON.stringify({ error: 'The arguments are not JSON' });
    return JSON.stringify(await tool.run(input.value, { signal }));
  };
  const described = [...tools.values()].map(({ name, description, parameters }) => ({
    name,
    description,
    parameters: { ...parameters },
  }));
  return {
    chatTools: described.map((tool) => ({ type: 'function', function: tool })),
    responseTools: described.map((tool) => ({ type: 'function', ...tool, strict: false })),
    call,
    answerChat: async ({ id, function: { name, arguments: json } }, options) => ({
      role: 'tool',
      tool_call_id: id,
      content: await call(name, json, options),
    }),
    answerResponse: async ({ call_id, name, arguments: json }, options) => ({
      type: 'function_call_output',
      call_id,
      output: await call(name, json, options),
    }),
  };
}

function parseArguments(json: string): { readonly value: unknown } | undefined {
  try {
    // Some models send nothing where there are no arguments.
    return { value: json.trim() === '' ? {} : JSON.parse(json) };
  } catch {
    return undefined;
  }
}
