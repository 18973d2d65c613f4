import type { SandboxBackend } from '../../sandbox/backend.ts';
import { backendTable } from '../../sandbox/backend-table.ts';
import type { SandboxConnection } from '../../sandbox/connection.ts';
import type { ProgressListener } from '../../sandbox/progress.ts';
import type { AnyRow } from '../../sandbox/row.ts';
import type { AnyMethod } from '../../sandbox/tables.ts';
import type { BackendMethod, BackendRequest } from '../requests.ts';
import type { ClientSession } from './client-session.ts';
import { progressStream } from './progress-stream.ts';
import { openRemoteArchive } from './remote-archive.ts';
import { openRemoteImport } from './remote-import.ts';
import { remoteSandbox } from './remote-sandbox.ts';

/** The backend at the other end of `session`; closing it ends the session. */
export function remoteBackend(session: ClientSession): SandboxBackend & { close(): Promise<void> } {
  const methods = Object.entries(backendTable as Readonly<Record<string, AnyRow>>).map(([method, row]) => [
    method,
    remoteMethod(session, `backend.${method}` as BackendMethod, row),
  ]);
  return { ...(Object.fromEntries(methods) as SandboxBackend), close: () => session.close() };
}

/** A method as a call over the wire, by what it gives. */
function remoteMethod(session: ClientSession, method: BackendMethod, row: AnyRow): AnyMethod {
  switch (row.gives) {
    case 'connection':
      return ({ signal, ...ask }, onProgress) =>
        start(session, { request: { method, ask }, signal, onProgress });
    case 'archive':
      return (ask) => openRemoteArchive(session, { method, ask });
    case 'import':
      return (ask) => openRemoteImport(session, { request: { method, ask }, made: row.made });
    case 'json':
      return (ask) => session.ask({ method, ask }, row.answer);
    default:
      throw new Error(`No backend has a method that gives ${row.gives}`);
  }
}

async function start(
  session: ClientSession,
  options: {
    readonly request: BackendRequest;
    readonly signal: AbortSignal | undefined;
    readonly onProgress: ProgressListener | undefined;
  },
): Promise<SandboxConnection> {
  const { request, signal, onProgress } = options;
  const stream = progressStream(onProgress);
  const { id } = await session.call(request, {
    stream,
    signal,
    // Given up, and made after all: nobody knows of it.
    onLate: (late) =>
      void remoteSandbox(session, late)
        .close()
        .catch(() => undefined),
  });
  session.forgetStream(id);
  return remoteSandbox(session, id);
}
