import type { Progress, SandboxBackend, SandboxConnection } from '../sandbox.ts';
import { hostImages, progress, sandboxInfo, sandboxInfos } from './answers.ts';
import type { ClientSession } from './client-session.ts';
import { violation } from './frame.ts';
import { IncomingStream } from './incoming-stream.ts';
import { openRemoteArchive } from './remote-archive.ts';
import { openRemoteIntake } from './remote-intake.ts';
import { remoteSandbox } from './remote-sandbox.ts';
import type { BackendRequest } from './requests.ts';
import { nothing } from './shape.ts';

type OnProgress = (progress: Progress) => void;

/** The backend at the other end of `session`; closing it ends the session. */
export function remoteBackend(session: ClientSession): SandboxBackend & { close(): Promise<void> } {
  return {
    create: ({ signal, ...options }, onProgress) =>
      start(session, { request: { method: 'backend.create', options }, signal, onProgress }),
    open: (id, { signal, ...options }, onProgress) =>
      start(session, { request: { method: 'backend.open', id, options }, signal, onProgress }),
    connect: async (id) => {
      const answer = await session.call({ method: 'backend.connect', id });
      return remoteSandbox(session, answer.id);
    },
    exportTar: (id, { at } = {}) => {
      const request = { method: 'backend.exportTar', id } as const;
      return openRemoteArchive(session, at === undefined ? request : { ...request, at });
    },
    openIntake: (options) =>
      openRemoteIntake(session, { request: { method: 'backend.openIntake', options }, made: sandboxInfo }),
    list: () => session.ask({ method: 'backend.list' }, sandboxInfos),
    images: () => session.ask({ method: 'backend.images' }, hostImages),
    delete: (id) => session.ask({ method: 'backend.delete', id }, nothing),
    setTimeout: (id, timeoutMs) => {
      const request = { method: 'backend.setTimeout', id } as const;
      return session.ask(timeoutMs === undefined ? request : { ...request, timeoutMs }, sandboxInfo);
    },
    close: () => session.close(),
  };
}

async function start(
  session: ClientSession,
  options: { request: BackendRequest; signal: AbortSignal | undefined; onProgress: OnProgress },
): Promise<SandboxConnection> {
  const { request, signal, onProgress } = options;
  const stream = new IncomingStream({
    decode: (message) => {
      if (message.type === 'item') return progress(message.json, 'progress');
      if (message.type === 'fail') return undefined;
      throw violation('what is no progress on the stream of a start');
    },
    listener: (event) => (event ? onProgress(event) : undefined),
  });
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
