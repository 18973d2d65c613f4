import type { WebSocket } from 'ws';
import type { RenewedToken } from '../../protocol/api-token.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { HostBackend } from '../host-backend.ts';
import type { DoctorRow } from '../host-runtime.ts';
import type { TokenOwner, TokenRecords } from '../token-contract.ts';
import type { Tracer } from '../trace-contract.ts';
import type { GitProxyOptions } from './git/git-proxy.ts';
import type { OnTokenEnd } from './live-tokens.ts';

/** One thing that the bridge needs in order to work. */
export interface ReadyRow {
  readonly name: string;
  readonly isReady: boolean;
}

/** Requests that may come in a second, and in one go after a pause. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RequestRates {
  readonly address: Rate;
  readonly token: Rate;
  /** Of one address, with a token that is missing or not valid. */
  readonly refused: Rate;
}

/** A request of the Model Context Protocol. */
export interface McpRequest {
  readonly request: Request;
  /** Its body, parsed; `undefined` where it has none. */
  readonly message: unknown;
  readonly owner: TokenOwner;
  /** Its sandboxes are those that REST has open, as far as the token allows. */
  readonly backend: SandboxBackend;
  readonly whileValid: Served['whileValid'];
}

/** Answers requests of the Model Context Protocol. The bridge ends its sessions, by disposing of it, when it stops. */
export interface McpService extends AsyncDisposable {
  /** The most bytes that the body of a request has. */
  readonly messageBytes: number;
  /** @throws not-found for a session that the token does not have; invalid-argument, busy, connection-lost */
  answer(request: McpRequest): Promise<Response>;
}

/** What a socket is served with. */
interface Served {
  /** Its sandboxes are those that REST has open; it knows nothing of the grant. */
  readonly backend: SandboxBackend;
  /** Called with failures of which no client gets the error. */
  readonly onFailure: (error: unknown) => void;
  /**
   * Calls `onEnd` once, with why, when the token is no longer valid; at once when it is not now.
   * Returns how to stop: called when what was open for the token has closed.
   */
  readonly whileValid: (onEnd: OnTokenEnd) => () => void;
  /** Lets the token last longer, where it may. @throws forbidden, unauthenticated */
  readonly renewToken: () => RenewedToken;
}

export interface BridgeOptions {
  readonly backend: HostBackend;
  readonly tokens: TokenRecords;
  /** Sandboxes that are opened at once, as something runs in them already; then they close like others. */
  readonly running?: readonly string[] | undefined;
  /** Where to listen; a loopback address keeps other machines out. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Origins of pages that may use the bridge, each as browsers send it: `https://example.org`. */
  readonly allowedOrigins: readonly string[];
  /** Names by which clients may call the bridge, beside `host` and the loopback; with a port, only with that. */
  readonly allowedHosts: readonly string[];
  /** PEM. Without it the bridge speaks plain HTTP, for the loopback or behind a proxy. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  readonly doctor: () => Promise<readonly DoctorRow[]>;
  /** Takes over a socket of `/v1/connect`, which closes when the bridge stops, at the latest. */
  readonly onSocket: (socket: WebSocket, owner: TokenOwner, served: Served) => void;
  /** What answers `/mcp`; without it there is no such path. `onProblem` is called with what is wrong with a request. */
  readonly mcp?: ((options: { readonly onProblem: (message: string) => void }) => McpService) | undefined;
  /** Which servers pages may reach with git; none by default. */
  readonly git?: GitProxyOptions | undefined;
  /** Connections of one address that have shown no valid token; `limits.httpUnauthenticatedOfAddress.usual` by default. */
  readonly connectionsOfAddress?: number;
  /** `limits.requestRates` by default. */
  readonly rates?: RequestRates;
  /** Whether it can do its work; without it, a bridge that answers can. */
  readonly ready?: (() => Promise<readonly ReadyRow[]>) | undefined;
  /** `limits.tokenRecheckMs` by default. */
  readonly tokenRecheckMs?: number;
  /** How long a command is waited for before its client is told that it still runs; `limits.heartbeatMs` by default. */
  readonly commandBeatMs?: number;
  /** Where the log goes, one JSON record a line; standard error by default. */
  readonly log?: { write(line: string): void };
  /** Called with each request; nothing is by default. Stays its owner's. */
  readonly tracer?: Tracer | undefined;
}
