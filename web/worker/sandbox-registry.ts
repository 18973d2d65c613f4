import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { RefStore } from '../../tree/objects/object-store.ts';

const prefix = 'sandbox/';
/** Sandboxes that are being made: their store may be there, and their entry is not. */
const makingPrefix = 'making/';

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

  /** Says that a sandbox is being made, so that what is left of it is found when its page goes before `add`. */
  async begin(id: string): Promise<void> {
    await (await this.#refs).compareAndSwap(makingPrefix + id, undefined, String(Date.now()));
  }

  /** Ends what `begin` began. @throws already-exists */
  async add(info: SandboxInfo): Promise<void> {
    const isNew = await (await this.#refs).compareAndSwap(prefix + info.id, undefined, JSON.stringify(info));
    if (!isNew) {
      throw new SandboxError('already-exists', `Cannot add sandbox "${info.id}": it exists`, {
        details: { id: info.id },
      });
    }
    await this.forgetUnfinished(info.id);
  }

  /** @throws not-found; conflict when another page changes it at the same time */
  async rename(id: string, name: string): Promise<SandboxInfo> {
    const refs = await this.#refs;
    const text = await refs.get(prefix + id);
    const info = { ...(await this.get(id)), name };
    if (await refs.compareAndSwap(prefix + id, text, JSON.stringify(info))) return info;
    throw new SandboxError('conflict', `Cannot rename sandbox "${id}": another page has changed it`);
  }

  /** What was begun before `beforeMs` and never added. */
  async unfinished(beforeMs: number): Promise<string[]> {
    const refs = await this.#refs;
    const ids: string[] = [];
    for (const [name, begunAtMs] of await refs.list(makingPrefix)) {
      const id = name.slice(makingPrefix.length);
      if (Number(begunAtMs) >= beforeMs) continue;
      if ((await refs.get(prefix + id)) === undefined) ids.push(id);
      else await this.forgetUnfinished(id);
    }
    return ids;
  }

  async forgetUnfinished(id: string): Promise<void> {
    await this.#delete(makingPrefix + id);
  }

  async remove(id: string): Promise<void> {
    await this.#delete(prefix + id);
  }

  async #delete(name: string): Promise<void> {
    const refs = await this.#refs;
    const text = await refs.get(name);
    if (text !== undefined) await refs.compareAndSwap(name, text, undefined);
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
