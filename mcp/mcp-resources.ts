import { Buffer } from 'node:buffer';
import {
  type McpServer,
  type ReadResourceResult,
  ResourceTemplate,
  type Variables,
} from '@modelcontextprotocol/server';
import { SandboxError } from '../protocol/errors.ts';
import { mcpLimits } from './limits.ts';
import type { McpSandboxes } from './mcp-sandboxes.ts';
import { readBounded } from './tools/file-tools.ts';

/** What resources there are: the address of each, and what it has. */
export const resourceTable = {
  history: [
    'coppice://{sandbox}/history',
    'The snapshots of a sandbox, newest first, and its HEAD, as JSON.',
  ],
  snapshot: [
    'coppice://{sandbox}/snapshots/{snapshot}',
    'One snapshot, and what differs between it and the one before, as JSON.',
  ],
  file: ['coppice://{sandbox}/files/{+path}', 'A file of a sandbox as it is now.'],
} as const;

type ReadResource = (uri: URL, variables: Variables, sandboxes: McpSandboxes) => Promise<ReadResourceResult>;

/** Adds the resources of `resourceTable`; the histories of all sandboxes are listed. */
export function addResources(server: McpServer, sandboxes: McpSandboxes): void {
  const json = { mimeType: 'application/json' };
  const counted =
    (read: ReadResource) =>
    async (uri: URL, variables: Variables): Promise<ReadResourceResult> => {
      using _call = sandboxes.beginCall();
      return await read(uri, variables, sandboxes);
    };
  const list = async () => ({
    resources: (await sandboxes.list()).slice(0, mcpLimits.listed).map(({ id, name }) => ({
      uri: `coppice://${encodeURIComponent(id)}/history`,
      name: `History of ${name}`,
      ...json,
    })),
  });
  const [history, ofHistory] = resourceTable.history;
  server.registerResource(
    'history',
    new ResourceTemplate(history, { list }),
    { description: ofHistory, ...json },
    counted(readHistory),
  );
  const [snapshot, ofSnapshot] = resourceTable.snapshot;
  server.registerResource(
    'snapshot',
    new ResourceTemplate(snapshot, { list: undefined }),
    { description: ofSnapshot, ...json },
    counted(readSnapshot),
  );
  const [file, ofFile] = resourceTable.file;
  server.registerResource(
    'file',
    new ResourceTemplate(file, { list: undefined }),
    { description: ofFile },
    counted(readFile),
  );
}

async function readHistory(
  uri: URL,
  variables: Variables,
  sandboxes: McpSandboxes,
): Promise<ReadResourceResult> {
  const sandbox = await sandboxes.use(variable(variables, 'sandbox'));
  const { snapshots, head, pending } = await sandbox.history.get();
  const newest = snapshots.toReversed().slice(0, mcpLimits.listed);
  return asJson(uri, { head, pending, snapshots: newest, count: snapshots.length });
}

async function readSnapshot(
  uri: URL,
  variables: Variables,
  sandboxes: McpSandboxes,
): Promise<ReadResourceResult> {
  const sandbox = await sandboxes.use(variable(variables, 'sandbox'));
  const id = await sandbox.history.resolve(variable(variables, 'snapshot'));
  const snapshot = (await sandbox.history.get()).snapshots.find((each) => each.id === id);
  const [before] = snapshot?.parents ?? [];
  const changes = before === undefined ? [] : await sandbox.diff(before, id);
  return asJson(uri, { ...snapshot, files: changes.slice(0, mcpLimits.listed), changed: changes.length });
}

async function readFile(
  uri: URL,
  variables: Variables,
  sandboxes: McpSandboxes,
): Promise<ReadResourceResult> {
  const sandbox = await sandboxes.use(variable(variables, 'sandbox'));
  const bytes = await readBounded(sandbox, { path: `/${variable(variables, 'path')}` });
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] };
  } catch {
    const blob = Buffer.from(bytes).toString('base64');
    return { contents: [{ uri: uri.href, mimeType: 'application/octet-stream', blob }] };
  }
}

function asJson(uri: URL, value: unknown): ReadResourceResult {
  return {
    contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(value, undefined, 1) }],
  };
}

/** @throws invalid-argument where it is not there once, or is no text in percent encoding */
function variable(variables: Variables, name: string): string {
  const value = variables[name];
  try {
    if (typeof value === 'string' && value !== '') return decodeURIComponent(value);
  } catch {
    // Told below.
  }
  throw new SandboxError('invalid-argument', `The address of the resource has no ${name}`);
}
