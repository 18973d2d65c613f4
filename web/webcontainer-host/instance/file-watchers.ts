import { SandboxError } from '../../../protocol/errors.ts';
import type { Change } from '../../../protocol/sandbox/history.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { hostLimits } from '../limits.ts';
import type { RemoteFunction } from '../wire/remote-function.ts';

interface Watcher {
  readonly isRecursive: boolean;
  readonly isBinary: boolean;
  readonly listener: RemoteFunction;
}

/**
 * Tells listeners what changed below a path: whenever the history has a new HEAD, of what differs from the one before.
 * So a change is told with its capture, some tenths of a second after the last one. Whoever opens it closes it.
 */
export class FileWatchers {
  readonly #sandbox: Sandbox;
  readonly #watchers = new Map<Watcher, string>();
  #head: SnapshotId | undefined;
  #notifying: Promise<void> = Promise.resolve();
  #adding: Promise<unknown> = Promise.resolve();
  #unsubscribe: (() => void) | undefined;
  readonly #release: (listener: RemoteFunction) => void;

  constructor(sandbox: Sandbox, { release }: { release: (listener: RemoteFunction) => void }) {
    this.#sandbox = sandbox;
    this.#release = release;
  }

  /** Settles when all that were added so far hear of what changes next. */
  get added(): Promise<unknown> {
    return this.#adding;
  }

  /** Returns how to stop. Watching what is not there is an error. @throws not-found, limit-exceeded */
  add(path: string, watcher: Watcher): Promise<() => void> {
    const added = this.#add(path, watcher);
    this.#adding = Promise.allSettled([this.#adding, added]);
    return added;
  }

  async #add(path: string, watcher: Watcher): Promise<() => void> {
    if (this.#watchers.size >= hostLimits.watchers)
      throw new SandboxError('limit-exceeded', `Cannot watch more than ${hostLimits.watchers} paths`);
    await this.#sandbox.files.stat(path);
    this.#watchers.set(watcher, path);
    try {
      await this.#subscribe();
    } catch (error) {
      this.#watchers.delete(watcher);
      throw error;
    }
    return () => {
      if (this.#watchers.delete(watcher)) this.#release(watcher.listener);
    };
  }

  close(): void {
    this.#watchers.clear();
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  async #subscribe(): Promise<void> {
    if (this.#unsubscribe) return;
    this.#unsubscribe = () => undefined; // One at a time asks.
    try {
      // What is there now is what later changes are compared with.
      const { id } = await this.#sandbox.createSnapshot({ ifChanged: true });
      this.#head = id;
      const unsubscribe = await this.#sandbox.subscribe(({ type }) => {
        if (type === 'snapshot' || type === 'head')
          this.#notifying = this.#notifying.then(() => this.#notify()).catch(() => undefined);
      });
      if (this.#unsubscribe === undefined) unsubscribe();
      else this.#unsubscribe = unsubscribe;
    } catch (error) {
      this.#unsubscribe = undefined;
      throw error;
    }
  }

  async #notify(): Promise<void> {
    const before = this.#head;
    const head = await this.#sandbox.history.head();
    if (before === undefined || before === head || this.#watchers.size === 0) return;
    this.#head = head;
    const changes = await this.#sandbox.diff(before, head);
    for (const [watcher, path] of this.#watchers) {
      for (const change of changes) await notify(change, { watcher, path });
    }
  }
}

/** In Node's words: `rename` of what comes or goes, `change` of what is there with another content. */
async function notify(change: Change, { watcher, path }: { watcher: Watcher; path: string }): Promise<void> {
  const event = change.type === 'modified' || change.type === 'metadata' ? 'change' : 'rename';
  for (const changed of change.from === undefined ? [change.path] : [change.from, change.path]) {
    const name = nameBelow(absolute(changed), path, watcher.isRecursive);
    if (name === undefined || (event === 'change' && change.isDirectory)) continue;
    const shown = watcher.isBinary ? new TextEncoder().encode(name) : name;
    await watcher.listener.call(event, shown).catch(() => undefined); // The client has let go of it.
  }
}

function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

/** What a change is called by who watches `path`; nothing where it does not concern them. */
function nameBelow(changed: string, path: string, isRecursive: boolean): string | undefined {
  if (changed === path) return changed.slice(changed.lastIndexOf('/') + 1);
  if (!changed.startsWith(`${path}/`)) return undefined;
  const name = changed.slice(path.length + 1);
  return isRecursive || !name.includes('/') ? name : undefined;
}
