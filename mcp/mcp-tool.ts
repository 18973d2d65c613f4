import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import type { ZodObject, z } from 'zod';
import { SandboxError } from '../protocol/errors.ts';
import { cutText } from '../sdk/adapters/cut-text.ts';
import { mcpLimits } from './limits.ts';
import type { McpSandboxes } from './mcp-sandboxes.ts';

/** What a tool has of the call that it answers. */
interface ToolCall {
  readonly sandboxes: McpSandboxes;
  /** Aborted when the client gives the call up, or is gone. */
  readonly signal: AbortSignal;
  /** Tells a client that asked for it how far the call is; of words that come too fast, some are left out. */
  progress(message: string): void;
}

/** What a tool answers: a value for programs, and a text for models, which is that value as JSON where it is left out. */
interface ToolAnswer<Value> {
  readonly value: Value;
  readonly text?: string;
}

/** One line of the table of tools. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly input: ZodObject;
  /** Of the value. What a newer peer says beyond it is left out, as clients refuse what the schema does not name. */
  readonly output: ZodObject;
  readonly annotations: ToolAnnotations;
  register(server: McpServer, sandboxes: McpSandboxes): void;
}

interface ToolDefinition<Input extends ZodObject, Output extends ZodObject>
  extends Omit<McpTool, 'register' | 'annotations'> {
  readonly input: Input;
  readonly output: Output;
  /**
   * `read`: changes nothing; `add`: only adds; `set`: replaces, and a second call changes nothing more; `change`: replaces or
   * ends what there is.
   */
  readonly effect: 'read' | 'add' | 'set' | 'change';
  /** Whether it closes or deletes its sandbox, and so is no part of a recording of it. */
  readonly endsSandbox?: boolean;
  run(input: z.output<Input>, call: ToolCall): Promise<ToolAnswer<z.input<Output>>>;
}

const effects = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  add: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  set: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  change: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
} as const;

/** A tool whose failures are answers that a model can read: `SandboxError`s with their code and remedy. */
export function mcpTool<Input extends ZodObject, Output extends ZodObject>(
  definition: ToolDefinition<Input, Output>,
): McpTool {
  const { name, description, input, output, effect, endsSandbox = false, run } = definition;
  // What runs in a sandbox reaches no further than the sandbox does.
  const annotations = { ...effects[effect], openWorldHint: false };
  const usesSandbox = 'sandbox' in input.shape && !endsSandbox;
  const register = (server: McpServer, sandboxes: McpSandboxes): void => {
    const answer = async (given: unknown, context: ServerContext): Promise<CallToolResult> => {
      try {
        using _call = sandboxes.beginCall();
        const { signal } = context.mcpReq;
        const call = { sandboxes, signal, progress: progressOf(context) };
        const asked = input.parse(given);
        const work = () => run(asked, call);
        const recorded = { call: { tool: name, arguments: asked }, work };
        const { value, text } = await (usesSandbox
          ? sandboxes.recordCall(asked.sandbox as string | undefined, recorded)
          : work());
        return toResult(output.parse(value), text);
      } catch (error) {
        return toFailure(SandboxError.from(error));
      }
    };
    const schemas: Record<'inputSchema' | 'outputSchema', ZodObject> = {
      inputSchema: input,
      outputSchema: output,
    };
    server.registerTool(name, { description, ...schemas, annotations }, answer);
  };
  return { name, description, input, output, annotations, register };
}

function toResult(
  value: Record<string, unknown>,
  text = JSON.stringify(value, undefined, 1),
): CallToolResult {
  return { content: [{ type: 'text', text: cutText(text) }], structuredContent: value };
}

function toFailure(error: SandboxError): CallToolResult {
  const { code, message, details } = error.toData();
  const known = Object.keys(details).length === 0 ? '' : `\n${cutText(JSON.stringify(details), 4_000)}`;
  const again = error.retryable ? ' (the same call may succeed later)' : '';
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${cutText(message, 4_000)}${again}${known}` }],
  };
}

function progressOf({ mcpReq }: ServerContext): ToolCall['progress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const startedMs = performance.now();
  let [progress, toldMs] = [0, Number.NEGATIVE_INFINITY];
  return (message) => {
    const nowMs = performance.now();
    // A client that does not read has them wait in memory, so there are few of a call that takes long.
    const leastMs = Math.max(mcpLimits.progressMs, (nowMs - startedMs) * mcpLimits.progressShare);
    if (nowMs - toldMs < leastMs) return;
    toldMs = nowMs;
    progress += 1;
    const params = { progressToken, progress, message: cutText(message, 1_000) };
    // A client that is gone is told nothing more.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
