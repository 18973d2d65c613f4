import { z } from 'zod';
import { resourceTable } from './mcp-resources.ts';
import type { McpTool } from './mcp-tool.ts';
import { toolTable } from './tools/tool-table.ts';

/** The page docs/reference/mcp.md, from the tables of tools and resources. */
export function mcpReference(): string {
  const tools = Object.entries(toolTable).flatMap(([heading, tools]) => [
    ...['', `## ${heading}`, '', '| tool | arguments | effect | what it does |', '| --- | --- | --- | --- |'],
    ...tools.map(toolRow),
  ]);
  return [
    '<!-- Made from the program by `npm run reference`. -->',
    '',
    '# Tools over MCP',
    '',
    'What [`coppice mcp`](cli/mcp.md), and a bridge at [`/mcp`](bridge-api.md#mcp), offer to a client of the Model Context Protocol;',
    '[From an MCP host](../guides/from-an-mcp-host.md) says how one is told of it. Arguments in brackets may be left out. A tool answers text',
    'and the same as structured content, of which `tools/list` has the schema. A failure is a result with `isError` whose text begins with a',
    '[code](errors.md). A tool that *reads* is there with `--read-only`, or a token for reading; others are not.',
    ...tools,
    ...['', '## Resources', '', '| address | what it has |', '| --- | --- |'],
    ...Object.values(resourceTable).map(([address, has]) => `| \`${address}\` | ${has} |`),
    '',
  ].join('\n');
}

function toolRow({ name, description, input, annotations }: McpTool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  const names = Object.keys(properties).map((key) =>
    required.includes(key) ? `\`${key}\`` : `[\`${key}\`]`,
  );
  const effect = annotations.readOnlyHint ? 'reads' : annotations.destructiveHint ? 'changes' : 'adds';
  return `| \`${name}\` | ${names.join(', ')} | ${effect} | ${description} |`;
}
