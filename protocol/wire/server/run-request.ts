import { SandboxError } from '../../errors.ts';
import type { SandboxFacets } from '../../sandbox/connection.ts';
import type { ExecRequest } from '../../sandbox/processes.ts';
import { type AnyMethod, callMethod } from '../../sandbox/tables.ts';
import {
  type BackendRequest,
  type ImportRequest,
  type ProcessRequest,
  partsOf,
  rowOf,
  type SandboxRequest,
  type StreamRequest,
  type WireRequest,
} from '../requests.ts';
import {
  openArchive,
  openConnection,
  openImport,
  openStream,
  openSubscription,
  startProcess,
  tellProgress,
} from './open-handles.ts';
import type { Answer, RequestContext } from './request-context.ts';

/** Carries out one request. Rejects with whatever it fails with; what it made is then let go of. */
export async function runRequest(request: WireRequest, context: RequestContext): Promise<Answer> {
  const { method } = request;
  if (method === 'session.renew') return { json: await context.renewAccess() };
  if (method === 'close') return runClose(request, context);
  if (isBackendRequest(request)) return runOnBackend(request, context);
  if (isProcessRequest(request)) return runOnProcess(request, context);
  if (isStreamRequest(request)) return runOnStream(request, context);
  if (isImportRequest(request)) return runOnImport(request, context);
  return runOnSandbox(request, context);
}

async function runOnBackend({ method, ask = {} }: BackendRequest, context: RequestContext): Promise<Answer> {
  const { backend, signal } = context;
  const { name } = partsOf(method);
  const call: AnyMethod = (asked, listener) => {
    const methods = backend as unknown as Readonly<Record<string, AnyMethod | undefined>>;
    const found = methods[name];
    if (found) return found.call(backend, asked, listener);
    throw new SandboxError('unsupported', `Cannot carry out "${method}": there is no such thing here`, {
      details: { feature: method },
    });
  };
  const row = rowOf(method);
  switch (row?.gives) {
    case 'connection': {
      const asked = row.takesSignal ? { ...ask, signal } : ask;
      return openConnection(context, (onProgress) => call(asked, onProgress));
    }
    case 'archive':
      return openArchive(context, { parent: 0, open: () => call(ask) });
    case 'import':
      return openImport(context, { parent: 0, open: () => call(ask) });
    default:
      return { json: await call(ask) };
  }
}

async function runOnSandbox(
  { method, on, ask = {} }: SandboxRequest,
  context: RequestContext,
): Promise<Answer> {
  const connection = context.handles.connection(on);
  const { facet, name } = partsOf(method);
  const row = rowOf(method);
  const call: AnyMethod = (asked, listener) =>
    callMethod(connection, { facet: facet as keyof SandboxFacets, method: name }, asked, listener);
  switch (row?.gives) {
    case 'process': {
      const request = ask as ExecRequest;
      return startProcess(context, { parent: on, request, start: (listener) => call(ask, listener) });
    }
    case 'stream':
      return openStream(context, { parent: on, open: () => call(ask) });
    case 'archive':
      return openArchive(context, { parent: on, open: () => call(ask) });
    case 'import':
      return openImport(context, { parent: on, open: () => call(ask) });
    case 'subscription':
      return openSubscription(context, { parent: on, subscribe: (listener) => call(ask, listener) });
    case 'bytes':
      return { bytes: await call(ask) };
    default: {
      const asked = {
        ...ask,
        ...(row?.takesBytes ? { bytes: context.bytes } : {}),
        ...(row?.takesSignal ? { signal: context.signal } : {}),
      };
      if (row?.gives !== 'json' || !row.tellsProgress) return { json: await call(asked) };
      return tellProgress(context, (onProgress) => call(asked, onProgress));
    }
  }
}

/** A process that has ended has nothing to be told, but what is written to it is lost. */
async function runOnProcess(request: ProcessRequest, { handles, bytes }: RequestContext): Promise<Answer> {
  const process = handles.process(request.on);
  switch (request.method) {
    case 'process.write':
      if (!process) throw new SandboxError('not-found', 'Cannot write to the process: it has ended');
      return done(process.write(bytes));
    case 'process.closeStdin':
      return done(process?.closeStdin());
    case 'process.resize':
      return done(process?.resize({ columns: request.columns, rows: request.rows }));
    case 'process.kill':
      return done(process?.kill(request.signal));
  }
}

async function runOnStream(
  { on, method }: StreamRequest,
  { handles, bytes }: RequestContext,
): Promise<Answer> {
  const stream = handles.stream(on);
  return done(method === 'stream.write' ? stream.write(bytes) : stream.end());
}

async function runOnImport(
  { on, method }: ImportRequest,
  { handles, bytes }: RequestContext,
): Promise<Answer> {
  const snapshotImport = handles.snapshotImport(on);
  if (method === 'import.write') return done(snapshotImport.write(bytes));
  try {
    return { json: await snapshotImport.finish() };
  } finally {
    await handles.release(on);
  }
}

async function runClose(
  { on, discard }: Extract<WireRequest, { method: 'close' }>,
  { handles }: RequestContext,
): Promise<Answer> {
  // A process ends by `process.kill`, and says so on its stream.
  if (handles.process(on)) throw new SandboxError('invalid-argument', 'Cannot close a process: kill it');
  return done(handles.release(on, { discard }));
}

async function done(work: Promise<void> | undefined): Promise<Answer> {
  await work;
  return {};
}

function isBackendRequest(request: WireRequest): request is BackendRequest {
  return request.method.startsWith('backend.');
}

function isImportRequest(request: WireRequest): request is ImportRequest {
  return request.method.startsWith('import.');
}

function isStreamRequest(request: WireRequest): request is StreamRequest {
  return request.method.startsWith('stream.');
}

function isProcessRequest(request: WireRequest): request is ProcessRequest {
  return request.method.startsWith('process.');
}
