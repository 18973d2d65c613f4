import { jsonSchema, type Tool } from 'ai';
import type { Sandbox } from '../sandbox.ts';
import type { ToolAnswer } from './define-tool.ts';
import { sandboxTools, type ToolName, type ToolOptions } from './sandbox-tools.ts';

/** A sandbox's tools for `generateText`, `streamText` and agents of the AI SDK. */
export function createAiSdkTools<Name extends ToolName = ToolName>(
  sandbox: Sandbox,
  options: ToolOptions<Name> = {},
): Record<Name, Tool<Record<string, unknown>, ToolAnswer>> {
  const tools = sandboxTools(sandbox, options).map((tool) => [
    tool.name,
    {
      description: tool.description,
      inputSchema: jsonSchema<Record<string, unknown>>({
        ...tool.parameters,
        properties: { ...tool.parameters.properties },
      }),
      execute: (input: Record<string, unknown>, { abortSignal }: { abortSignal?: AbortSignal }) =>
        tool.run(input, { signal: abortSignal }),
    } satisfies Tool<Record<string, unknown>, ToolAnswer>,
  ]);
  return Object.fromEntries(tools) as Record<Name, Tool<Record<string, unknown>, ToolAnswer>>;
}
