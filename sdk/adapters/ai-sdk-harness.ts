import type { HarnessV1NetworkSandboxSession, HarnessV1SandboxProvider } from '@ai-sdk/harness';
import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { type CreateOptions, ownLabelPrefix } from '../../protocol/sandbox/backend.ts';
import type { SnapshotRef } from '../../protocol/sandbox/refs.ts';
import { type ConnectOptions, Sandbox } from '../sandbox.ts';
import { createAiSdkSession } from './ai-sdk-session.ts';
import { deleteSandbox } from './delete-sandbox.ts';
import { HarnessTemplates } from './harness-templates.ts';
import { SandboxSteps } from './sandbox-steps.ts';

export interface HarnessOptions extends Pick<ConnectOptions, 'backend' | 'hooks'> {
  /** What each session's sandbox is to be. */
  readonly create?: Omit<CreateOptions, 'from' | 'metadata'>;
  /** The longest that a command of a session may take; `limits.harnessCommandMs` by default. */
  readonly timeoutMs?: number;
  /** Ports that a program in a session listens on, and where they can be reached; harnesses with a bridge need one. */
  readonly ports?: readonly number[];
  readonly portUrl?: (
    port: number,
    sandbox: Sandbox,
    protocol: 'http' | 'https' | 'ws',
  ) => string | Promise<string>;
}

type SessionOptions = Parameters<HarnessV1SandboxProvider['createSession']>[0];

/** A fork of a session's sandbox is not that session. */
const sessionLabel = `${ownLabelPrefix}ai-sdk-session`;

/**
 * A provider of sandboxes for `HarnessAgent`. What a harness sets up once per identity is done in a template, of which
 * each session's sandbox is a copy that shares its files. A session with an id keeps its sandbox when it is stopped, and
 * can be resumed; one that is destroyed does not.
 */
export function createHarnessProvider(options: HarnessOptions = {}): HarnessV1SandboxProvider {
  const { backend, create = {}, hooks, timeoutMs = limits.harnessCommandMs } = options;
  const where = backend ? { backend } : {};
  const watched = { ...where, ...(hooks ? { hooks } : {}) };
  const templates = new HarnessTemplates({ backend, hooks, create, commandMs: timeoutMs });

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
      const start = (from?: SnapshotRef) =>
        Sandbox.create({
          ...create,
          ...watched,
          ...(from ? { from } : {}),
          // Without labels of its own it would have the template's.
          metadata: sessionId === undefined ? {} : { [sessionLabel]: sessionId },
          ...(signal ? { signal } : {}),
        });
      const hasTemplate = identity !== undefined && onFirstCreate !== undefined;
      const sandbox = hasTemplate
        ? await templates.startSession({ identity, run: onFirstCreate }, start, signal)
        : await start();
      try {
        if (!hasTemplate) {
          const session = createAiSdkSession(sandbox, { timeoutMs });
          await onFirstCreate?.(session, signal ? { abortSignal: signal } : {});
        }
        return await networkSession(sandbox, { ...options, timeoutMs, isKept: sessionId !== undefined });
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
        return await networkSession(sandbox, { ...options, timeoutMs, isKept: true });
      } catch (error) {
        await sandbox.close().catch(() => undefined);
        throw error;
      }
    },
  };
}

async function networkSession(
  sandbox: Sandbox,
  options: HarnessOptions & { readonly timeoutMs: number; readonly isKept: boolean },
): Promise<HarnessV1NetworkSandboxSession> {
  const { backend, ports = [], portUrl, timeoutMs, isKept } = options;
  const session = createAiSdkSession(sandbox, { timeoutMs });
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
    // Nothing can resume a session without an id.
    stopped ??= isKept ? sandbox.close() : deleteSandbox(sandbox, backend);
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
