import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxInfo } from '../../protocol/sandbox.ts';
import type { RefStore } from '../../tree/objects/object-store.ts';

const prefix = 'sandbox/';

/** The sandboxes of this origin by id: what the page lists before any of them is opened. */
export class SandboxRegistry {
  readonly #refs: Promise<RefStore>;

  /** `refs` may still be opening; a failure to is told by every call. */
  constructor(refs: Promise<RefStore>) {
    this.#refs = refs;
    refs.catch(() => undefined);
  }

  /** Oldest first. An entry that cannot be read is left out. */
  async list(): Promise<SandboxInfo[]> {
    const entries = await (await this.#refs).list(prefix);
    const infos = entries.flatMap(([, text]) => parseInfo(text) ?? []);
    return infos.sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  /** @throws not-found */
  async get(id: string): Promise<SandboxInfo> {
    const text = await (await this.#refs).get(prefix + id);
    const info = text === undefined ? undefined : parseInfo(text);
    if (info) return info;
    throw new SandboxError('not-found', `Cannot open sandbox "${id}": it is not in this browser`, {
      details: { id },
    });
  }

  async add(info: SandboxInfo): Promise<void> {
    if (await (await this.#refs).compareAndSwap(prefix + info.id, undefined, JSON.stringify(info))) return;
    throw new SandboxError('already-exists', `Cannot add sandbox "${info.id}": it exists`, {
      details: { id: info.id },
    });
  }

  async remove(id: string): Promise<void> {
    const text = await (await this.#refs).get(prefix + id);
    if (text !== undefined) await (await this.#refs).compareAndSwap(prefix + id, text, undefined);
  }
}

function parseInfo(text: string): SandboxInfo | undefined {
  try {
    const value = JSON.parse(text) as Partial<SandboxInfo>;
    const { id, name, image, createdAtMs } = value;
    const isText = [id, name, image].every((field) => typeof field === 'string');
    return isText && typeof createdAtMs === 'number' ? (value as SandboxInfo) : undefined;
  } catch {
    return undefined;
  }
}
