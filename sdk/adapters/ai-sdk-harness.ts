import type { HarnessV1NetworkSandboxSession, HarnessV1SandboxProvider } from '@ai-sdk/harness';
import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { CreateOptions, SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SnapshotRef } from '../../protocol/sandbox/refs.ts';
import { type ConnectOptions, Sandbox } from '../sandbox.ts';
import { createAiSdkSession } from './ai-sdk-session.ts';
import { SandboxSteps } from './sandbox-steps.ts';

export interface HarnessOptions extends Pick<ConnectOptions, 'backend' | 'hooks'> {
  /** What each session's sandbox is to be. */
  readonly create?: Omit<CreateOptions, 'from' | 'metadata'>;
  /** Ports that a program in a session listens on, and where they can be reached; harnesses with a bridge need one. */
  readonly ports?: readonly number[];
  readonly portUrl?: (
    port: number,
    sandbox: Sandbox,
    protocol: 'http' | 'https' | 'ws',
  ) => string | Promise<string>;
}

type SessionOptions = Parameters<HarnessV1SandboxProvider['createSession']>[0];

/** Labels of the sandboxes of a harness. */
const sessionLabel = 'ai-sdk-session';
const templateLabel = 'ai-sdk-template';
/** The snapshot of a template that is set up; one without it is of a process that died. */
const readyTag = 'ready';

/**
 * A provider of sandboxes for `HarnessAgent`. What a harness sets up once per identity is done in a template, of which
 * each session's sandbox is a copy that shares its files. A session that is stopped keeps its sandbox, and can be resumed;
 * one that is destroyed does not.
 */
export function createHarnessProvider(options: HarnessOptions = {}): HarnessV1SandboxProvider {
  const { backend, create = {}, hooks } = options;
  const where = backend ? { backend } : {};
  const watched = { ...where, ...(hooks ? { hooks } : {}) };
  const templates = new Map<string, Promise<SnapshotRef>>();

  async function makeTemplate(identity: string, setUp: SetUp, signal?: AbortSignal): Promise<SnapshotRef> {
    const metadata = { [templateLabel]: identity };
    for (const { id } of await Sandbox.list({ ...where, metadata })) {
      await using sandbox = await Sandbox.open(id, where);
      const snapshot = (await sandbox.history.tags()).get(readyTag);
      if (snapshot) return { sandbox: id, snapshot };
    }
    const sandbox = await Sandbox.create({ ...create, ...watched, metadata, ...(signal ? { signal } : {}) });
    try {
      await setUp(createAiSdkSession(sandbox), signal ? { abortSignal: signal } : {});
      const { id: snapshot } = await sandbox.createSnapshot({ label: 'set up' });
      await sandbox.history.setTag(readyTag, snapshot);
      await sandbox.close();
      return { sandbox: sandbox.id, snapshot };
    } catch (error) {
      await deleteSandbox(sandbox, backend).catch(() => undefined);
      throw error;
    }
  }

  /** Of sessions that begin at once, one sets the template up. */
  function template(identity: string, setUp: SetUp, signal?: AbortSignal): Promise<SnapshotRef> {
    const made = templates.get(identity) ?? makeTemplate(identity, setUp, signal);
    templates.set(identity, made);
    made.then(
      () => templates.delete(identity),
      () => templates.delete(identity),
    );
    return made;
  }

  return {
    specificationVersion: 'harness-sandbox-v1',
    providerId: 'coppice',
    createSession: async ({
      sessionId,
      identity,
      onFirstCreate,
      abortSignal: signal,
    }: SessionOptions = {}) => {
      throwIfAborted(signal, 'Cannot create the sandbox of a session');
      const from =
        identity !== undefined && onFirstCreate ? await template(identity, onFirstCreate, signal) : undefined;
      const sandbox = await Sandbox.create({
        ...create,
        ...watched,
        ...(from ? { from } : {}),
        ...(sessionId === undefined ? {} : { metadata: { [sessionLabel]: sessionId } }),
        ...(signal ? { signal } : {}),
      });
      try {
        if (!from && onFirstCreate) {
          await onFirstCreate(createAiSdkSession(sandbox), signal ? { abortSignal: signal } : {});
        }
        return await networkSession(sandbox, options);
      } catch (error) {
        await deleteSandbox(sandbox, backend).catch(() => undefined);
        throw error;
      }
    },
    resumeSession: async ({ sessionId, abortSignal: signal }) => {
      const known = await Sandbox.list({ ...where, metadata: { [sessionLabel]: sessionId } });
      const newest = known.sort((a, b) => b.createdAtMs - a.createdAtMs)[0];
      if (!newest)
        throw new SandboxError('not-found', `Cannot resume session ${sessionId}: it has no sandbox`);
      const sandbox = await Sandbox.open(newest.id, { ...watched, ...(signal ? { signal } : {}) });
      try {
        return await networkSession(sandbox, options);
      } catch (error) {
        await sandbox.close().catch(() => undefined);
        throw error;
      }
    },
  };
}

type SetUp = NonNullable<NonNullable<SessionOptions>['onFirstCreate']>;

async function networkSession(
  sandbox: Sandbox,
  { backend, ports = [], portUrl }: HarnessOptions,
): Promise<HarnessV1NetworkSandboxSession> {
  const session = createAiSdkSession(sandbox);
  const url = async (port: number, protocol: 'http' | 'https' | 'ws' = 'http'): Promise<string> => {
    if (portUrl) return portUrl(port, sandbox, protocol);
    throw new SandboxError(
      'unsupported',
      `Cannot reach port ${port} from outside: give the provider a portUrl`,
      {
        details: { feature: 'portUrl' },
      },
    );
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= sandbox.close();
    return stopped;
  };
  return {
    ...session,
    id: sandbox.id,
    defaultWorkingDirectory: await SandboxSteps.of(sandbox).directory(),
    ports,
    getPortUrl: ({ port, protocol }) => url(port, protocol),
    getPortEndpoint: async ({ port, protocol }) => ({ url: await url(port, protocol) }),
    stop,
    destroy: async () => {
      await stop();
      await deleteSandbox(sandbox, backend);
    },
    restricted: () => session,
  };
}

async function deleteSandbox(sandbox: Sandbox, backend: SandboxBackend | undefined): Promise<void> {
  await sandbox.close();
  await Sandbox.delete(sandbox.id, backend ? { backend } : {}).catch((cause: unknown) => {
    if (SandboxError.from(cause).code !== 'not-found') throw cause;
  });
}
