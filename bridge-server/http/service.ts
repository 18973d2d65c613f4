import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { HostBackend } from '../host-backend.ts';
import type { OpenSandboxes } from '../open-sandboxes.ts';
import type { TokenOwner, TokenRecords } from '../token-contract.ts';
import type { Span, Tracer } from '../trace-contract.ts';
import type { BridgeOptions, McpService } from './bridge-options.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { CommandOperations, CommandResult } from './command-operations.ts';
import type { GitProxy } from './git/git-proxy.ts';
import type { LiveTokens } from './live-tokens.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/** What every route works with. */
export interface Service {
  readonly backend: HostBackend;
  readonly sandboxes: OpenSandboxes;
  readonly tokens: TokenRecords;
  /** What is open on behalf of each of them. */
  readonly liveTokens: LiveTokens;
  readonly git: GitProxy;
  readonly mcp: McpService | undefined;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly log: Logger;
  readonly doctor: BridgeOptions['doctor'];
  readonly ready: NonNullable<BridgeOptions['ready']>;
  /** For what is uploaded, as long as it is in memory. */
  readonly uploads: ByteBudget;
  /** For answers of MCP, as long as they are in memory. */
  readonly mcpAnswers: ByteBudget;
  /** Commands that go on without their request. */
  readonly operations: CommandOperations<CommandResult>;
  /** How long a command is waited for before its client is told that it still runs, and again. */
  readonly commandBeatMs: number;
  /** Aborted when the bridge stops: streams end. */
  readonly stopping: AbortSignal;
}

export interface BridgeEnv {
  Bindings: HttpBindings;
  Variables: {
    /** Names the request in the log and in the answer. */
    requestId: string;
    span: Span;
    log: Logger;
    owner: TokenOwner;
    /** For the log; said by the client. */
    sandbox: string | undefined;
  };
}

export type BridgeApp = OpenAPIHono<BridgeEnv>;
