import { endProcess } from '../end-process.ts';
import { SandboxError } from '../errors.ts';
import type { SandboxFacets } from './connection.ts';
import type { ByteStream } from './network.ts';
import type { ExecRequest, ProcessEvent, ProcessHandle, ProcessListener } from './processes.ts';
import { type AnyMethod, callMethod, type MethodRow, makeFacets } from './tables.ts';
import type { SnapshotExport, SnapshotImport } from './transfer.ts';

type Release = () => Promise<void> | void;

/** What one client of a sandbox has open: processes, subscriptions, archives and imports, released with it (H-8). */
export class HandleScope {
  readonly #releases = new Set<Release>();
  readonly #subscriptions = new Set<Release>();
  #closed: Promise<void> | undefined;

  /** @throws connection-lost when it is closed */
  throwIfClosed(): void {
    if (this.#closed) throw new SandboxError('connection-lost', 'The connection to the sandbox was closed');
  }

  /**
   * Releases it when the scope closes; answers how to forget it, for one that has ended before. In a scope that is
   * closed already, releases it immediately and throws connection-lost.
   */
  hold(release: Release): Promise<() => void> {
    return this.#hold(release, this.#releases);
  }

  /** The same for a subscription, which gets the last events as well. */
  holdSubscription(release: Release): Promise<() => void> {
    return this.#hold(release, this.#subscriptions);
  }

  /**
   * Releases everything, and closes what it is of by `close`, before subscriptions end. What fails to be released has ended
   * by itself, or the sandbox has. @throws as `close`
   */
  close(close: () => Promise<void> | void = () => undefined): Promise<void> {
    this.#closed ??= (async () => {
      await releaseAll(this.#releases);
      try {
        await close();
      } finally {
        await releaseAll(this.#subscriptions);
      }
    })();
    return this.#closed;
  }

  async #hold(release: Release, among: Set<Release>): Promise<() => void> {
    if (this.#closed) {
      await release();
      this.throwIfClosed();
    }
    among.add(release);
    return () => void among.delete(release);
  }
}

async function releaseAll(releases: Set<Release>): Promise<void> {
  await Promise.allSettled([...releases].map(async (release) => release()));
  releases.clear();
}

/** The same methods; the handles that they give are released with `scope`, after which every call is refused. */
export function scopeFacets(facets: () => SandboxFacets, scope: HandleScope): SandboxFacets {
  return makeFacets((method) => {
    const scoped = scopeMethod((ask, listener) => callMethod(facets(), method, ask, listener), method, scope);
    return async (ask, listener) => {
      scope.throwIfClosed();
      return scoped(ask, listener);
    };
  });
}

function scopeMethod(call: AnyMethod, { row }: MethodRow, scope: HandleScope): AnyMethod {
  switch (row.gives) {
    case 'process':
      return (request: ExecRequest, listener: ProcessListener) =>
        startScoped((told) => call(request, told), { request, listener, scope });
    case 'subscription':
      return async (ask, listener) => {
        const stop: () => void = await call(ask, listener);
        const forget = await scope.holdSubscription(stop);
        return () => {
          forget();
          stop();
        };
      };
    case 'stream':
      return async (ask) => {
        const stream: ByteStream = await call(ask);
        const close = await closeScoped(stream, scope);
        return {
          read: () => stream.read(),
          write: (bytes: Uint8Array) => stream.write(bytes),
          end: () => stream.end(),
          close,
        };
      };
    case 'archive':
      return async (ask) => {
        const reader: SnapshotExport = await call(ask);
        return { read: () => reader.read(), close: await closeScoped(reader, scope) };
      };
    case 'import':
      return async (ask) => {
        const snapshotImport: SnapshotImport<unknown> = await call(ask);
        const close = await closeScoped(snapshotImport, scope);
        return {
          write: (bytes: Uint8Array) => snapshotImport.write(bytes),
          finish: () => snapshotImport.finish(),
          close,
        };
      };
    default:
      return row.takesSignal ? callScoped(call, scope) : call;
  }
}

/** A call that is given up when the scope closes. */
function callScoped(call: AnyMethod, scope: HandleScope): AnyMethod {
  return async ({ signal, ...ask }, listener) => {
    const closing = new AbortController();
    const forget = await scope.hold(() => closing.abort());
    const signals = signal ? [signal, closing.signal] : [closing.signal];
    try {
      return await call({ ...ask, signal: AbortSignal.any(signals) }, listener);
    } finally {
      forget();
    }
  };
}

async function startScoped(
  start: (listener: ProcessListener) => Promise<ProcessHandle>,
  options: { readonly request: ExecRequest; readonly listener: ProcessListener; readonly scope: HandleScope },
): Promise<ProcessHandle> {
  const { request, listener, scope } = options;
  const ended = Promise.withResolvers<void>();
  let hasEnded = false;
  let forget = (): void => {};
  const process = await start((event: ProcessEvent) => {
    if (event.type === 'exit') {
      hasEnded = true;
      ended.resolve();
      forget();
    }
    return listener(event);
  });
  if (!hasEnded) forget = await scope.hold(() => endProcess({ process, request, ended: ended.promise }));
  // It may have ended while it was noted.
  if (hasEnded) forget();
  return process;
}

/** How a client closes what it has opened, which the scope does otherwise. */
async function closeScoped(
  opened: { close(): Promise<void> },
  scope: HandleScope,
): Promise<() => Promise<void>> {
  const forget = await scope.hold(() => opened.close());
  return () => {
    forget();
    return opened.close();
  };
}
