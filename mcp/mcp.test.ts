import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { callingClient, type McpTestClient, testEveryTool } from '../test/mcp/every-tool.ts';
import { mcpReference } from './tool-reference.ts';

/** A client of `coppice mcp` in a process of its own, whose sandboxes are shells there. */
async function openClient(...flags: string[]): Promise<McpTestClient> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['cli/main.ts', 'mcp', '--runtime', 'shell', ...flags],
    stderr: 'inherit',
  });
  await client.connect(transport);
  return callingClient(client);
}

test('the reference is what the program makes', async () => {
  expect(await readFile('docs/reference/mcp.md', 'utf8')).toBe(mcpReference());
});

describe('a client over standard input and output', () => {
  testEveryTool(() => openClient());
});

test('a server that is read only has only tools that read', async () => {
  await using opened = await openClient('--read-only');
  const { tools: listed } = await opened.client.listTools();
  expect(listed.length).toBeGreaterThan(5);
  expect(listed.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
});
