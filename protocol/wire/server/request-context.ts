import type { SandboxBackend } from '../../sandbox/backend.ts';
import type { WireAccess } from '../handshake.ts';
import type { HandleTable } from './handle-table.ts';
import type { OutgoingStream } from './outgoing-stream.ts';

/** What a request is carried out with. */
export interface RequestContext {
  /** Of the request, and so of the handle and the stream that it makes. */
  readonly id: number;
  /** The bytes that came with it. */
  readonly bytes: Uint8Array;
  readonly backend: SandboxBackend;
  readonly handles: HandleTable;
  /** Aborts when the client gives the request up, or the session ends. */
  readonly signal: AbortSignal;
  /** Prolongs the time for which the client is let in. @throws unsupported, forbidden */
  renewAccess(): Promise<WireAccess>;
  /** Opens the stream of the request. */
  openStream(): OutgoingStream;
  /** Ends the stream of the request, if it is open; nothing more goes out on it. */
  closeStream(): void;
  /** Something failed that no client waits for. */
  onFailure(error: unknown): void;
}

/** What a request is answered with. */
export interface Answer {
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
}
