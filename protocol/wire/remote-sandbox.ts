import { SandboxError } from '../errors.ts';
import type { SandboxConnection } from '../sandbox.ts';
import * as answers from './answers.ts';
import type { ClientSession } from './client-session.ts';
import { violation } from './frame.ts';
import { IncomingStream } from './incoming-stream.ts';
import { openRemoteArchive } from './remote-archive.ts';
import { openRemoteIntake } from './remote-intake.ts';
import { execRemote } from './remote-process.ts';
import type { ConnectionRequest } from './requests.ts';
import { nothing, number, type Shape } from './shape.ts';

type WithoutOn<R> = R extends unknown ? Omit<R, 'on'> : never;

/** The connection `on` behind `session`. */
export function remoteSandbox(session: ClientSession, on: number): SandboxConnection {
  let closed: Promise<void> | undefined;
  const throwIfClosed = (): void => {
    if (closed) throw new SandboxError('connection-lost', 'Cannot reach the sandbox: it was closed here');
  };
  const ask = async <T>(request: WithoutOn<ConnectionRequest>, shape: Shape<T>): Promise<T> => {
    throwIfClosed();
    return session.ask({ ...request, on } as ConnectionRequest, shape);
  };
  return {
    info: () => ask({ method: 'sandbox.info' }, answers.sandboxInfo),
    exec: async (request, listener) => {
      throwIfClosed();
      return execRemote(session, { on, request, listener });
    },
    readFile: async (path, at) => {
      throwIfClosed();
      const { bytes } = await session.call({ method: 'sandbox.readFile', on, path, ...given({ at }) });
      return bytes;
    },
    writeFile: async (path, bytes, options = {}) => {
      throwIfClosed();
      const { mode } = options;
      await session.call({ method: 'sandbox.writeFile', on, path, ...given({ mode }) }, { bytes });
    },
    listFiles: (path, at) => ask({ method: 'sandbox.listFiles', path, ...given({ at }) }, answers.fileInfos),
    statFile: (path, at) => ask({ method: 'sandbox.statFile', path, ...given({ at }) }, answers.fileInfo),
    makeDirectory: (path) => ask({ method: 'sandbox.makeDirectory', path }, nothing),
    removeFile: (path) => ask({ method: 'sandbox.removeFile', path }, nothing),
    renameFile: (from, to) => ask({ method: 'sandbox.renameFile', from, to }, nothing),
    history: () => ask({ method: 'sandbox.history' }, answers.historyView),
    createSnapshot: ({ label, ifChanged, memory } = {}) =>
      ask({ method: 'sandbox.createSnapshot', ...given({ label, ifChanged, memory }) }, answers.snapshotInfo),
    checkout: (id, options) =>
      ask({ method: 'sandbox.checkout', id, ...given({ options }) }, answers.checkoutResult),
    fork: (id, { name } = {}) => ask({ method: 'sandbox.fork', id, ...given({ name }) }, answers.sandboxInfo),
    recording: () => ask({ method: 'sandbox.recording' }, answers.recordingView),
    setRecording: (options) => ask({ method: 'sandbox.setRecording', options }, nothing),
    screenAt: async (moment, pid) => {
      throwIfClosed();
      const { bytes } = await session.call({ method: 'sandbox.screenAt', on, moment, pid });
      return bytes;
    },
    goToMoment: (id) => ask({ method: 'sandbox.goToMoment', id }, answers.goToResult),
    diff: (from, to) => ask({ method: 'sandbox.diff', from, to }, answers.changes),
    setTag: (name, id) => ask({ method: 'sandbox.setTag', name, ...given({ id }) }, nothing),
    deleteSnapshot: (id) => ask({ method: 'sandbox.deleteSnapshot', id }, nothing),
    collectGarbage: () => ask({ method: 'sandbox.collectGarbage' }, number),
    exportTar: async (at, { path } = {}) => {
      throwIfClosed();
      return openRemoteArchive(session, { method: 'sandbox.exportTar', on, at, ...given({ path }) });
    },
    openParcel: async (id, { have } = {}) => {
      throwIfClosed();
      return openRemoteArchive(session, { method: 'sandbox.openParcel', on, id, ...given({ have }) });
    },
    openIntake: async () => {
      throwIfClosed();
      const request = { method: 'sandbox.openIntake', on } as const;
      return openRemoteIntake(session, { request, made: answers.snapshotInfo });
    },
    storage: () => ask({ method: 'sandbox.storage' }, answers.storageInfo),
    networkLog: () => ask({ method: 'sandbox.networkLog' }, answers.networkLog),
    report: () => ask({ method: 'sandbox.report' }, answers.sandboxReport),
    subscribe: async (after, listener) => {
      throwIfClosed();
      return subscribe(session, { on, after, listener });
    },
    close: () => {
      closed ??= release(session, on);
      return closed;
    },
  };
}

async function subscribe(
  session: ClientSession,
  options: { on: number; after: number; listener: Parameters<SandboxConnection['subscribe']>[1] },
): Promise<() => void> {
  const { on, after, listener } = options;
  let isStopped = false;
  const stream = new IncomingStream({
    decode: (message) => {
      if (message.type === 'item') return answers.sandboxEvent(message.json, 'an event');
      if (message.type === 'fail') return undefined;
      throw violation('what is no event on the stream of a subscription');
    },
    listener: (event) => (event && !isStopped ? listener(event) : undefined),
  });
  const { id } = await session.call({ method: 'sandbox.subscribe', on, after }, { stream });
  return () => {
    if (isStopped) return;
    isStopped = true;
    // The other side may be gone: nothing is left to stop.
    release(session, id).catch(() => undefined);
  };
}

async function release(session: ClientSession, id: number): Promise<void> {
  await session.call({ method: 'close', on: id }, { isRelease: true });
}

/** Fields that have a value: what is `undefined` is no part of a request. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
