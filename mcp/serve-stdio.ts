import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { mcpLimits } from './limits.ts';
import { McpSandboxes, type McpSandboxesOptions } from './mcp-sandboxes.ts';
import { createMcpServer, tellListChanges } from './mcp-server.ts';

export interface ServeMcpOptions extends McpSandboxesOptions {
  /** Of this program, for the client. */
  readonly version: string;
  readonly stdin: Readable;
  /** Takes messages of the protocol and nothing else. */
  readonly stdout: Writable;
  /** Aborting ends the connection. */
  readonly signal: AbortSignal;
  /** Called with what is wrong with the connection, such as a message that is not JSON. */
  readonly onProblem: (message: string) => void;
}

/** Serves one client until it closes its end or `signal` aborts; then what it had is let go of. */
export async function serveMcpOverStdio(options: ServeMcpOptions): Promise<void> {
  const { stdin, stdout, signal, version, onProblem } = options;
  await using sandboxes = new McpSandboxes(options);
  const ended = Promise.withResolvers<void>();
  const end = (): void => ended.resolve();
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: mcpLimits.messageBytes });
  stdin.once('end', end).once('close', end);
  stdout.once('error', end);
  signal.addEventListener('abort', end, { once: true });
  const factory = () => {
    const server = createMcpServer(sandboxes, { version });
    tellListChanges(server, sandboxes);
    // As when a message was too large.
    server.server.onclose = end;
    return server;
  };
  const handle = serveStdio(factory, { transport, onerror: ({ message }) => onProblem(message) });
  try {
    if (!signal.aborted) await ended.promise;
  } finally {
    signal.removeEventListener('abort', end);
    stdin.off('end', end).off('close', end);
    await handle.close();
    stdout.off('error', end);
  }
}
