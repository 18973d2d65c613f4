import type { WebSocket } from 'ws';
import type { RenewedToken } from '../../protocol/api-token.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { HostBackend } from '../host-backend.ts';
import type { TokenOwner, TokenRecords } from '../token-contract.ts';
import type { Tracer } from '../trace-contract.ts';
import type { GitProxyOptions } from './git/git-proxy.ts';
import type { OnTokenEnd } from './live-tokens.ts';

/** One thing that this host was asked whether it can. */
export interface DoctorRow {
  readonly name: string;
  readonly state: 'ok' | 'unsupported';
  readonly why: string;
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

/** What a socket is served with. */
interface Served {
  /** Its sandboxes are those that REST has open; it knows nothing of the grant. */
  readonly backend: SandboxBackend;
  /** To be told of failures that no client waits for. */
  readonly onFailure: (error: unknown) => void;
  /**
   * Calls `onEnd` once with why when the token opens nothing any more; at once when that is so already.
   * Returns how to stop, which whoever holds something open for it calls when that has ended.
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
  /** Which servers pages may reach with git; none by default. */
  readonly git?: GitProxyOptions | undefined;
  /** Connections of one address that have shown no valid token; `limits.httpUnauthenticatedOfAddress.usual` by default. */
  readonly connectionsOfAddress?: number;
  /** `limits.requestRates` by default. */
  readonly rates?: RequestRates;
  /** `limits.tokenRecheckMs` by default. */
  readonly tokenRecheckMs?: number;
  /** Where the log goes, one JSON record a line; standard error by default. */
  readonly log?: { write(line: string): void };
  /** Told of each request; by default nobody is. Whoever made it disposes of it. */
  readonly tracer?: Tracer | undefined;
}
