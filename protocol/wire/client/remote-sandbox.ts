import { SandboxError } from '../../errors.ts';
import type { SandboxConnection } from '../../sandbox/connection.ts';
import { type AnyMethod, type MethodRow, makeFacets } from '../../sandbox/tables.ts';
import { closeOnce, isUnsaved } from '../../unsaved-changes.ts';
import type { SandboxMethod, SandboxRequest } from '../requests.ts';
import type { ClientSession } from './client-session.ts';
import { progressStream } from './progress-stream.ts';
import { release } from './release.ts';
import { openRemoteArchive } from './remote-archive.ts';
import { openRemoteImport } from './remote-import.ts';
import { execRemote } from './remote-process.ts';
import { connectRemote } from './remote-stream.ts';
import { subscribeRemote } from './remote-subscription.ts';

/** The connection `on` behind `session`. */
export function remoteSandbox(session: ClientSession, on: number): SandboxConnection {
  let isClosed = false;
  const closing = new AbortController();
  const throwIfClosed = (): void => {
    if (isClosed) throw new SandboxError('connection-lost', 'Cannot reach the sandbox: it was closed here');
  };
  const facets = makeFacets((method) => {
    const call = remoteMethod(method, { session, on, closing: closing.signal });
    return async (ask, listener) => {
      throwIfClosed();
      return call(ask, listener);
    };
  });
  return {
    ...facets,
    close: closeOnce(async (options) => {
      isClosed = true;
      try {
        await release(session, on, options);
      } catch (error) {
        isClosed = !isUnsaved(error);
        throw error;
      } finally {
        if (isClosed) closing.abort();
      }
    }),
  };
}

/** A method as a call over the wire, by what it gives. */
function remoteMethod(
  { facet, method, row }: MethodRow,
  { session, on, closing }: { session: ClientSession; on: number; closing: AbortSignal },
): AnyMethod {
  const name = `${facet}.${method}` as SandboxMethod;
  const requestOf = (ask: object = {}): SandboxRequest => ({ method: name, on, ask });
  switch (row.gives) {
    case 'process':
      return (ask, listener) => execRemote(session, { request: requestOf(ask), listener });
    case 'stream':
      return (ask) => connectRemote(session, { request: requestOf(ask), closing });
    case 'archive':
      return (ask) => openRemoteArchive(session, requestOf(ask));
    case 'import':
      return (ask) => openRemoteImport(session, { request: requestOf(ask), made: row.made });
    case 'subscription':
      return (ask, listener) => subscribeRemote(session, { request: requestOf(ask), listener });
    case 'bytes':
      return async (ask) => (await session.call(requestOf(ask))).bytes;
    case 'json':
      return async ({ bytes, signal, ...ask } = {}, listener) => {
        const { id, json } = await session.call(requestOf(ask), {
          ...(row.takesBytes ? { bytes } : {}),
          ...(row.takesSignal ? { signal } : {}),
          ...(row.tellsProgress ? { stream: progressStream(listener) } : {}),
        });
        if (row.tellsProgress) session.forgetStream(id);
        return session.check(json, { schema: row.answer, what: name });
      };
    default:
      throw new Error(`No sandbox has a method that gives ${row.gives}`);
  }
}
