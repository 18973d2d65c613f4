import { SandboxError } from '../errors.ts';
import type { HostImage, SandboxBackend, SandboxConnection, SandboxInfo } from '../sandbox.ts';
import { openArchive, openConnection, openIntake, openSubscription, startProcess } from './open-handles.ts';
import type { Answer, RequestContext } from './request-context.ts';
import type {
  BackendRequest,
  ConnectionRequest,
  IntakeRequest,
  ProcessRequest,
  WireRequest,
} from './requests.ts';

/** Carries out one request. Rejects with whatever it fails with; what it made is then let go of. */
export async function runRequest(request: WireRequest, context: RequestContext): Promise<Answer> {
  const { method } = request;
  if (method === 'session.renew') return { json: await context.renewAccess() };
  if (method === 'close') return runClose(request.on, context);
  if (isBackendRequest(request)) return runOnBackend(request, context);
  if (isProcessRequest(request)) return runOnProcess(request, context);
  if (isIntakeRequest(request)) return runOnIntake(request, context);
  return runOnConnection(request, context);
}

async function runOnBackend(request: BackendRequest, context: RequestContext): Promise<Answer> {
  const { backend, signal } = context;
  switch (request.method) {
    case 'backend.create':
      return openConnection(context, (onProgress) =>
        backend.create({ ...request.options, signal }, onProgress),
      );
    case 'backend.open':
      return openConnection(context, (onProgress) =>
        backend.open(request.id, { ...request.options, signal }, onProgress),
      );
    case 'backend.connect':
      return openConnection(context, () => backend.connect(request.id));
    case 'backend.exportTar': {
      const at = request.at === undefined ? {} : { at: request.at };
      return openArchive(context, { parent: 0, open: () => backend.exportTar(request.id, at) });
    }
    case 'backend.openIntake':
      return openIntake(context, { parent: 0, open: () => backend.openIntake(request.options) });
    case 'backend.list':
      return { json: await backend.list() };
    case 'backend.images':
      return { json: await imagesOf(backend) };
    case 'backend.delete':
      return done(backend.delete(request.id));
    case 'backend.setTimeout':
      return { json: await setTimeoutOf(backend, request) };
  }
}

async function setTimeoutOf(
  backend: SandboxBackend,
  { id, timeoutMs }: { readonly id: string; readonly timeoutMs?: number },
): Promise<SandboxInfo> {
  if (backend.setTimeout) return backend.setTimeout(id, timeoutMs);
  throw new SandboxError('unsupported', 'Cannot give the sandbox an end: sandboxes have none here', {
    details: { feature: 'timeoutMs' },
  });
}

async function imagesOf(backend: SandboxBackend): Promise<readonly HostImage[]> {
  if (backend.images) return backend.images();
  throw new SandboxError('unsupported', 'Cannot list the images: nobody keeps a list of them here', {
    details: { feature: 'images' },
  });
}

async function runOnConnection(request: ConnectionRequest, context: RequestContext): Promise<Answer> {
  const connection = context.handles.connection(request.on);
  switch (request.method) {
    case 'sandbox.exec':
      return startProcess(context, { parent: request.on, connection, request: request.request });
    case 'sandbox.exportTar':
      return openArchive(context, {
        parent: request.on,
        open: () =>
          connection.exportTar(request.at, request.path === undefined ? {} : { path: request.path }),
      });
    case 'sandbox.openParcel':
      return openArchive(context, {
        parent: request.on,
        open: () => connection.openParcel(request.id, request.have ? { have: request.have } : {}),
      });
    case 'sandbox.openIntake':
      return openIntake(context, { parent: request.on, open: () => connection.openIntake() });
    case 'sandbox.subscribe':
      return openSubscription(context, { parent: request.on, connection, after: request.after });
    case 'sandbox.readFile':
      return { bytes: await connection.readFile(request.path, request.at) };
    case 'sandbox.screenAt':
      return { bytes: await connection.screenAt(request.moment, request.pid) };
    case 'sandbox.setRecording':
      return done(connection.setRecording(request.options));
    case 'sandbox.writeFile': {
      const options = request.mode === undefined ? {} : { mode: request.mode };
      return done(connection.writeFile(request.path, context.bytes, options));
    }
    case 'sandbox.makeDirectory':
      return done(connection.makeDirectory(request.path));
    case 'sandbox.removeFile':
      return done(connection.removeFile(request.path));
    case 'sandbox.renameFile':
      return done(connection.renameFile(request.from, request.to));
    case 'sandbox.setTag':
      return done(connection.setTag(request.name, request.id));
    case 'sandbox.deleteSnapshot':
      return done(connection.deleteSnapshot(request.id));
    default:
      return { json: await ask(connection, request) };
  }
}

type Question = Exclude<
  ConnectionRequest,
  {
    method: `sandbox.${'exec' | 'exportTar' | 'openParcel' | 'openIntake' | 'subscribe' | 'readFile' | 'writeFile' | 'makeDirectory' | 'removeFile' | 'renameFile' | 'setTag' | 'deleteSnapshot' | 'screenAt' | 'setRecording'}`;
  }
>;

/** What is answered in JSON. */
function ask(connection: SandboxConnection, request: Question): Promise<unknown> {
  switch (request.method) {
    case 'sandbox.info':
      return connection.info();
    case 'sandbox.listFiles':
      return connection.listFiles(request.path, request.at);
    case 'sandbox.statFile':
      return connection.statFile(request.path, request.at);
    case 'sandbox.history':
      return connection.history();
    case 'sandbox.createSnapshot':
      return connection.createSnapshot({
        ...(request.label === undefined ? {} : { label: request.label }),
        ...(request.ifChanged === undefined ? {} : { ifChanged: request.ifChanged }),
        ...(request.memory === undefined ? {} : { memory: request.memory }),
      });
    case 'sandbox.checkout':
      return connection.checkout(request.id, request.options);
    case 'sandbox.fork':
      return connection.fork(request.id, request.name === undefined ? {} : { name: request.name });
    case 'sandbox.recording':
      return connection.recording();
    case 'sandbox.goToMoment':
      return connection.goToMoment(request.id);
    case 'sandbox.diff':
      return connection.diff(request.from, request.to);
    case 'sandbox.collectGarbage':
      return connection.collectGarbage();
    case 'sandbox.storage':
      return connection.storage();
    case 'sandbox.networkLog':
      return connection.networkLog();
    case 'sandbox.report':
      return connection.report();
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

async function runOnIntake(
  { on, method }: IntakeRequest,
  { handles, bytes }: RequestContext,
): Promise<Answer> {
  const intake = handles.intake(on);
  if (method === 'intake.write') return done(intake.write(bytes));
  try {
    return { json: await intake.finish() };
  } finally {
    await handles.release(on);
  }
}

async function runClose(id: number, { handles }: RequestContext): Promise<Answer> {
  // A process ends by `process.kill`, and says so on its stream.
  if (handles.process(id)) throw new SandboxError('invalid-argument', 'Cannot close a process: kill it');
  return done(handles.release(id));
}

async function done(work: Promise<void> | undefined): Promise<Answer> {
  await work;
  return {};
}

function isBackendRequest(request: WireRequest): request is BackendRequest {
  return request.method.startsWith('backend.');
}

function isIntakeRequest(request: WireRequest): request is IntakeRequest {
  return request.method.startsWith('intake.');
}

function isProcessRequest(request: WireRequest): request is ProcessRequest {
  return request.method.startsWith('process.');
}
