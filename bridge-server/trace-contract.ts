import type { ErrorCode } from '../protocol/errors.ts';
import type { SandboxWork } from '../sandbox/sandbox-work.ts';

/** Work of a host that a request may wait for. */
export type HostWork = SandboxWork | 'jail.start' | 'root.make' | 'image.unpack';

/**
 * All that a span may tell. What a sandbox or a client makes up is not among it: no command, path, label, name,
 * output or message (H-9).
 */
export interface SpanFacts {
  /** The id of a sandbox. */
  readonly sandbox?: string | undefined;
  /** As in the log and in the answer. */
  readonly requestId?: string;
  /** Of HTTP: the method, the pattern that matched, the status. */
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
}

/** Something that takes time, from when it was made until it is ended. */
export interface Span {
  /** 32 hex digits; `undefined` where nothing is traced. */
  readonly traceId: string | undefined;
  /** Does `work`, whose own spans are below this one, as are those of what it leaves running. */
  run<T>(work: () => T): T;
  /** Tells that it failed, and how; the last word counts. */
  fail(code: ErrorCode): void;
  /** Once. */
  end(last?: SpanFacts & { readonly name?: string }): void;
}

/**
 * Where spans go. Nothing that it does throws, waits for a collector, or grows without bound. Disposing of it
 * sends what is left, for `limits.tracesFlushTimeoutMs` at most.
 */
export interface Tracer extends AsyncDisposable {
  /** The address of the collector, without what may be secret in it; `undefined` where nothing is traced. */
  readonly target: string | undefined;
  /** Begins the span of what a client asks for; below its own, if `traceparent` (W3C) says which that is. */
  receive(name: string, traceparent?: string): Span;
  /** Does `work` in a span below what it is part of; passes on what it resolves to or rejects with. */
  during<T>(name: HostWork, facts: SpanFacts, work: () => Promise<T>): Promise<T>;
}
