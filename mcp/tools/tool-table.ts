import type { McpTool } from '../mcp-tool.ts';
import { commandTools } from './command-tools.ts';
import { fileTools } from './file-tools.ts';
import { historyTools } from './history-tools.ts';
import { sandboxTools } from './sandbox-tools.ts';

/** Every tool, by the heading it has in the reference. */
export const toolTable: Readonly<Record<string, readonly McpTool[]>> = {
  Sandboxes: sandboxTools,
  Commands: commandTools,
  Files: fileTools,
  History: historyTools,
};
