import type {
  Manifest,
  SandboxClient,
  SandboxClientCreateArgs,
  SandboxClientOptions,
} from '@openai/agents-core/sandbox';
import { cloneManifest, normalizeSandboxClientCreateArgs } from '@openai/agents-core/sandbox';
import {
  deserializeManifest,
  sanitizeEnvironmentForPersistence,
  serializeManifestRecord,
} from '@openai/agents-core/sandbox/internal';
import { SandboxError } from '../../protocol/errors.ts';
import type { CreateOptions } from '../../protocol/sandbox/backend.ts';
import { type ConnectOptions, Sandbox } from '../sandbox.ts';
import {
  AgentsSession,
  type AgentsSessionOptions,
  type AgentsSessionState,
  type ExposePort,
} from './openai-agents-session.ts';

export { history } from './openai-agents-history.ts';
export { AgentsSession, type AgentsSessionState, type ExposePort } from './openai-agents-session.ts';

export interface AgentsClientOptions extends Pick<ConnectOptions, 'backend' | 'hooks'> {
  /** What each sandbox is to be. */
  readonly create?: Omit<CreateOptions, 'from'>;
  /** Keep a sandbox after its run, so that a run can go on in it later; otherwise it is deleted. */
  readonly keep?: boolean;
  /** Where ports of its sandboxes can be reached; without it no port can. */
  readonly exposePort?: ExposePort;
}

/** Makes the sandboxes of `SandboxAgent`s: `run(agent, input, { sandbox: { client } })`. */
export class AgentsClient implements SandboxClient<SandboxClientOptions, AgentsSessionState> {
  readonly backendId = 'coppice';
  readonly #options: AgentsClientOptions;

  constructor(options: AgentsClientOptions = {}) {
    this.#options = options;
  }

  async create(
    args?: SandboxClientCreateArgs | Manifest,
    manifestOptions?: SandboxClientOptions,
  ): Promise<AgentsSession> {
    const { manifest } = normalizeSandboxClientCreateArgs(args, manifestOptions);
    const { create } = this.#options;
    const sandbox = await Sandbox.create({ ...create, ...this.#connect() });
    const session = this.#session(sandbox, manifest);
    try {
      await session.prepare();
      return session;
    } catch (error) {
      await sandbox.close().catch(() => undefined);
      await this.delete(session.state).catch(() => undefined);
      throw error;
    }
  }

  /** @throws not-found where the sandbox was deleted */
  async resume(state: AgentsSessionState): Promise<AgentsSession> {
    const sandbox = await Sandbox.open(state.sandboxId, this.#connect());
    const session = this.#session(sandbox, state.manifest);
    session.state = { ...state };
    return session;
  }

  async delete({ sandboxId }: AgentsSessionState): Promise<void> {
    await Sandbox.delete(sandboxId, this.#connect());
  }

  canPersistOwnedSessionState(): boolean {
    return this.#options.keep === true;
  }

  async serializeSessionState(state: AgentsSessionState): Promise<Record<string, unknown>> {
    const { sandboxId, manifest } = state;
    const environment = sanitizeEnvironmentForPersistence(state);
    return { sandboxId, manifest: serializeManifestRecord(manifest), environment };
  }

  async deserializeSessionState(state: Record<string, unknown>): Promise<AgentsSessionState> {
    const { sandboxId, manifest, environment } = state;
    if (typeof sandboxId !== 'string') {
      throw new SandboxError('invalid-argument', 'Cannot resume the session: its state names no sandbox');
    }
    return {
      sandboxId,
      manifest: deserializeManifest(manifest as Record<string, unknown> | undefined),
      environment: { ...(environment as Record<string, string> | undefined) },
      workspaceReady: true,
    };
  }

  #connect(): Pick<ConnectOptions, 'backend' | 'hooks'> {
    const { backend, hooks } = this.#options;
    return { ...(backend ? { backend } : {}), ...(hooks ? { hooks } : {}) };
  }

  #session(sandbox: Sandbox, manifest: Manifest): AgentsSession {
    let closed: Promise<void> | undefined;
    const close = async () => {
      if (this.#options.keep) return sandbox.close();
      await sandbox.close({ discard: true }).catch(() => undefined); // It is deleted all the same.
      await this.delete(session.state);
    };
    const session: AgentsSession = new AgentsSession(sandbox, cloneManifest(manifest), {
      exposePort: this.#options.exposePort,
      onClose: () => {
        closed ??= close();
        return closed;
      },
    });
    return session;
  }
}

/**
 * A session over a sandbox that is open already, and stays so: `run(agent, input, { sandbox: { session } })`.
 * @throws unsupported for manifest entries that are neither files nor directories
 */
export async function createAgentsSession(
  sandbox: Sandbox,
  manifest: Manifest,
  { exposePort }: Pick<AgentsSessionOptions, 'exposePort'> = {},
): Promise<AgentsSession> {
  const session = new AgentsSession(sandbox, cloneManifest(manifest), { exposePort });
  await session.prepare();
  return session;
}
