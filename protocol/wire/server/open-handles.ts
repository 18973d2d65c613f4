import { endProcess } from '../../end-process.ts';
import type { SandboxConnection } from '../../sandbox/connection.ts';
import type { EventListener } from '../../sandbox/events.ts';
import type { ByteStream } from '../../sandbox/network.ts';
import type { ExecRequest, ProcessEvent, ProcessHandle, ProcessListener } from '../../sandbox/processes.ts';
import type { Progress } from '../../sandbox/progress.ts';
import type { ArchiveReader, SnapshotExport } from '../../sandbox/transfer.ts';
import type { AnyImport, Handle } from './handle-table.ts';
import type { OutgoingStream } from './outgoing-stream.ts';
import type { Answer, RequestContext } from './request-context.ts';

/** Opens a sandbox; progress goes out on the stream of the request, which ends with it. */
export async function openConnection(
  context: RequestContext,
  open: (onProgress: (progress: Progress) => void) => Promise<SandboxConnection>,
): Promise<Answer> {
  const { id, handles } = context;
  handles.checkRoom();
  const stream = context.openStream();
  try {
    const connection = await open((progress) => stream.offer(progress));
    const release: Handle['release'] = (options) => connection.close(options);
    await handles.add(id, { type: 'connection', parent: 0, connection, release });
  } finally {
    context.closeStream();
  }
  return {};
}

/** Carries out what tells of progress, which goes out on the stream of the request and ends with it. */
export async function tellProgress(
  context: RequestContext,
  work: (onProgress: (progress: Progress) => void) => Promise<unknown>,
): Promise<Answer> {
  const stream = context.openStream();
  try {
    return { json: await work((progress) => stream.offer(progress)) };
  } finally {
    context.closeStream();
  }
}

/** Starts a process; its output goes out on the stream of the request, and its exit ends it. */
export async function startProcess(
  context: RequestContext,
  options: {
    readonly parent: number;
    readonly request: ExecRequest;
    readonly start: (listener: ProcessListener) => Promise<ProcessHandle>;
  },
): Promise<Answer> {
  const { id, handles } = context;
  const { parent, request, start } = options;
  handles.checkRoom();
  const stream = context.openStream();
  const over = Promise.withResolvers<void>();
  let isOver = false;
  const listener = async (event: ProcessEvent): Promise<void> => {
    if (event.type !== 'exit') {
      const sending = stream.output(event.type, event.bytes);
      // A failure here kills it; what it says as it clears away is nobody's any more.
      return request.clearsAway ? sending.catch(() => undefined) : sending;
    }
    isOver = true;
    over.resolve();
    handles.forget(id);
    const { type: _, ...status } = event;
    await stream.end(status);
    context.closeStream();
  };
  try {
    const process = await start(listener);
    const release = (): Promise<void> => endProcess({ process, request, ended: over.promise });
    if (!isOver) await handles.add(id, { type: 'process', parent, process, release });
    return { json: { pid: process.pid } };
  } catch (error) {
    context.closeStream();
    throw error;
  }
}

/**
 * Opens a byte stream; what comes through it goes out on the stream of the request, which ends with that direction. The
 * handle stays until the client closes it.
 */
export async function openStream(
  context: RequestContext,
  { parent, open }: { parent: number; open: () => Promise<ByteStream> },
): Promise<Answer> {
  const { id, handles } = context;
  handles.checkRoom();
  const stream = await open();
  const outgoing = context.openStream();
  const release = async (): Promise<void> => {
    context.closeStream();
    await stream.close();
  };
  await handles.add(id, { type: 'stream', parent, stream, release });
  void sendBytes(stream, outgoing).catch((error) => context.onFailure(error));
  return {};
}

/** Opens an archive or an export; its pieces go out on the stream of the request as the client takes them. */
export async function openArchive(
  context: RequestContext,
  { parent, open }: { parent: number; open: () => Promise<ArchiveReader | SnapshotExport> },
): Promise<Answer> {
  const { id, handles } = context;
  handles.checkRoom();
  const reader = await open();
  const stream = context.openStream();
  const release = async (): Promise<void> => {
    context.closeStream();
    await reader.close();
  };
  await handles.add(id, { type: 'archive', parent, release });
  void sendPieces(reader, stream)
    .finally(() => handles.release(id))
    .catch((error) => context.onFailure(error));
  return {};
}

/** Opens an import; what is not finished when it is let go of leaves nothing behind. */
export async function openImport(
  { id, handles }: RequestContext,
  { parent, open }: { parent: number; open: () => Promise<AnyImport> },
): Promise<Answer> {
  handles.checkRoom();
  const snapshotImport = await open();
  await handles.add(id, { type: 'import', parent, snapshotImport, release: () => snapshotImport.close() });
  return {};
}

/** Listens to events; they go out on the stream of the request. Those that the client is too slow for are the oldest. */
export async function openSubscription(
  context: RequestContext,
  options: {
    readonly parent: number;
    readonly subscribe: (listener: EventListener) => Promise<() => void>;
  },
): Promise<Answer> {
  const { id, handles } = context;
  const { parent, subscribe } = options;
  handles.checkRoom();
  const stream = context.openStream();
  try {
    const stop = await subscribe((event) => stream.offer(event));
    const release = (): void => {
      stop();
      context.closeStream();
    };
    await handles.add(id, { type: 'subscription', parent, release });
  } catch (error) {
    context.closeStream();
    throw error;
  }
  return {};
}

async function sendBytes(stream: ByteStream, outgoing: OutgoingStream): Promise<void> {
  try {
    for (let bytes = await stream.read(); bytes; bytes = await stream.read()) {
      await outgoing.output('stdout', bytes);
    }
    await outgoing.end();
  } catch (error) {
    await outgoing.fail(error);
  }
}

async function sendPieces(reader: ArchiveReader | SnapshotExport, stream: OutgoingStream): Promise<void> {
  try {
    for (let piece = await reader.read(); piece; piece = await reader.read()) {
      await stream.item({ missing: 'missing' in piece ? piece.missing : [] }, piece.bytes);
    }
    await stream.end();
  } catch (error) {
    await stream.fail(error);
  }
}
