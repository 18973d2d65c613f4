import type { HarnessV1SandboxProvider } from '@ai-sdk/harness';
import { orAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { CreateOptions, SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SnapshotRef } from '../../protocol/sandbox/refs.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { type ConnectOptions, Sandbox } from '../sandbox.ts';
import { createAiSdkSession } from './ai-sdk-session.ts';
import { deleteSandbox } from './delete-sandbox.ts';

type SessionOptions = NonNullable<Parameters<HarnessV1SandboxProvider['createSession']>[0]>;

export interface TemplateOptions {
  readonly backend: SandboxBackend | undefined;
  readonly hooks: ConnectOptions['hooks'];
  /** What the templates are, and so the sessions too. */
  readonly create: Omit<CreateOptions, 'from' | 'metadata'>;
  readonly commandMs: number;
}

/** What sets a harness up, and the name of what it makes. */
export interface HarnessSetUp {
  readonly identity: string;
  readonly run: NonNullable<SessionOptions['onFirstCreate']>;
}

const templateLabel = 'ai-sdk-template';
/** The tag of a template's snapshot, once it is set up. */
const readyTag = 'ready';

/** A set-up that is under way, for all sessions that wait for it. */
interface TemplateSetUp {
  readonly made: Promise<SnapshotRef>;
  readonly stop: AbortController;
  waiting: number;
}

/** Sandboxes in which harnesses are set up: one for each identity and each `create`, of which sessions are copies. */
export class HarnessTemplates {
  readonly #options: TemplateOptions;
  /** By identity. */
  readonly #underWay = new Map<string, TemplateSetUp>();

  constructor(options: TemplateOptions) {
    this.#options = options;
  }

  /**
   * A sandbox that `start` makes from the template, which is set up first where there is none. A template is never
   * opened to be looked at, as other processes could not use it meanwhile.
   */
  async startSession(
    harness: HarnessSetUp,
    start: (from: SnapshotRef) => Promise<Sandbox>,
    signal: AbortSignal | undefined,
  ): Promise<Sandbox> {
    if (!this.#underWay.has(harness.identity)) {
      for (const template of await this.#list(harness.identity)) {
        try {
          return await start({ sandbox: template.id, snapshot: readyTag });
        } catch (cause) {
          if (SandboxError.from(cause).code !== 'not-found') throw cause;
          await this.#deleteAbandoned(template);
        }
      }
    }
    return start(await this.#setUp(harness, signal));
  }

  /** Of sessions that begin at once, one sets the template up. It ends when all of them are aborted. */
  async #setUp(harness: HarnessSetUp, signal: AbortSignal | undefined): Promise<SnapshotRef> {
    const { identity } = harness;
    const setUp = this.#underWay.get(identity) ?? this.#begin(harness);
    setUp.waiting++;
    try {
      return await orAborted(setUp.made, { signal, what: 'Cannot create the sandbox of a session' });
    } finally {
      if (--setUp.waiting === 0) {
        setUp.stop.abort(signal?.reason);
        if (this.#underWay.get(identity) === setUp) this.#underWay.delete(identity);
      }
    }
  }

  #begin(harness: HarnessSetUp): TemplateSetUp {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(limits.harnessSetUpMs)]);
    const setUp = { made: this.#make(harness, signal), stop, waiting: 0 };
    this.#underWay.set(harness.identity, setUp);
    return setUp;
  }

  async #make({ identity, run }: HarnessSetUp, signal: AbortSignal): Promise<SnapshotRef> {
    const { backend, hooks, create, commandMs } = this.#options;
    const sandbox = await Sandbox.create({
      ...create,
      metadata: await this.#labels(identity),
      signal,
      ...(backend ? { backend } : {}),
      ...(hooks ? { hooks } : {}),
    });
    try {
      const work = run(createAiSdkSession(sandbox, { timeoutMs: commandMs }), { abortSignal: signal });
      await orAborted(work, { signal, what: 'Cannot set the harness up' });
      const { id } = await sandbox.createSnapshot({ label: 'set up' });
      await sandbox.history.setTag(readyTag, id);
      await sandbox.close();
      return { sandbox: sandbox.id, snapshot: id };
    } catch (error) {
      await deleteSandbox(sandbox, backend).catch(() => undefined); // What is to be told is why it was not set up.
      throw error;
    }
  }

  /** Oldest first: an abandoned one is before the one that took its place. */
  async #list(identity: string): Promise<SandboxInfo[]> {
    const { backend } = this.#options;
    const metadata = await this.#labels(identity);
    const templates = await Sandbox.list({ ...(backend ? { backend } : {}), metadata });
    return templates.sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  async #labels(identity: string): Promise<Readonly<Record<string, string>>> {
    return { [templateLabel]: `${identity}-${await digest(this.#options.create)}` };
  }

  /** Of a template that is not set up, and cannot be any more: the process that made it is gone. */
  async #deleteAbandoned({ id, createdAtMs }: SandboxInfo): Promise<void> {
    if (Date.now() - createdAtMs <= limits.harnessSetUpMs) return;
    const { backend } = this.#options;
    // Another process may have deleted it.
    await Sandbox.delete(id, backend ? { backend } : {}).catch(() => undefined);
  }
}

async function digest(create: TemplateOptions['create']): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(create));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
