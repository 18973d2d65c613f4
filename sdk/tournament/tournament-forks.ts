import { copySnapshot } from '../../protocol/copy/copy-snapshot.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { CommandHooks, type SandboxHooks } from '../command-hooks.ts';
import { Commands } from '../commands.ts';
import { expireAfter } from '../expire-after.ts';
import { importOptions } from '../import-options.ts';
import type { TournamentPlace } from './tournament-options.ts';

/** The sandbox that a tournament is about, which stays its owner's. */
export interface TournamentHome {
  readonly info: SandboxInfo;
  readonly connection: SandboxConnection;
  /** Where it lives. */
  readonly backend: SandboxBackend;
  /** Called around the commands of candidates. */
  readonly hooks?: SandboxHooks | undefined;
}

/** A candidate's own sandbox, open. */
export interface TournamentFork {
  readonly connection: SandboxConnection;
  readonly commands: Commands;
  /** Closes and deletes it. Never rejects; what could not be deleted is in `leftOver`. */
  drop(): Promise<void>;
}

interface ForkOptions {
  readonly name: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Makes the sandboxes of candidates, all of one snapshot; in other backends of one copy of it. Disposing of it deletes the copies. */
export class TournamentForks implements AsyncDisposable {
  /** Ids of sandboxes that could not be deleted; the name of one that did not say its id. */
  readonly leftOver: string[] = [];
  readonly #home: TournamentHome;
  readonly #base: SnapshotInfo['id'];
  /** By backend, and by the runtime that is asked for there. */
  readonly #copies = new Map<SandboxBackend, Map<string, Promise<string>>>();

  constructor(home: TournamentHome, base: SnapshotInfo['id']) {
    this.#home = home;
    this.#base = base;
  }

  /** @throws what making a sandbox or copying a snapshot fails with; aborted */
  async open(place: TournamentPlace | undefined, options: ForkOptions): Promise<TournamentFork> {
    const { backend } = place ?? this.#home;
    const sandbox = place ? await this.#copyAt(place, options.signal) : this.#home.info.id;
    const from = { sandbox, snapshot: this.#base };
    const { name, signal } = options;
    const connection = await backend.create({ from, name, signal }, () => {});
    let id: string | undefined;
    try {
      const info = await connection.info.get();
      id = info.id;
      await expireAfter(backend, { id, timeoutMs: options.timeoutMs + limits.tournamentOrphanMs });
      const hooks = new CommandHooks({ info, connection, hooks: this.#home.hooks });
      return {
        connection,
        commands: new Commands(connection, hooks),
        drop: () => this.#delete(backend, info.id, connection),
      };
    } catch (error) {
      if (id === undefined) {
        await connection.close().catch(() => undefined);
        // Others may have the same name, so it is told and not deleted.
        this.leftOver.push(name);
      } else await this.#delete(backend, id, connection);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#copies].flatMap(([backend, copies]) =>
      [...copies.values()].map(async (copying) => {
        const id = await copying.catch(() => undefined);
        if (id !== undefined) await this.#delete(backend, id);
      }),
    );
    await Promise.all(all);
  }

  /** The id of the copy there, which is made once: who comes meanwhile waits for it. */
  #copyAt(place: TournamentPlace, signal: AbortSignal): Promise<string> {
    const { backend, runtime } = place;
    const copies = this.#copies.get(backend) ?? new Map<string, Promise<string>>();
    this.#copies.set(backend, copies);
    const known = copies.get(runtime ?? '');
    if (known) return known;
    const name = `${this.#home.info.name} tournament`.slice(-limits.sandboxNameCharacters);
    const copying = copySnapshot(this.#home.connection, {
      snapshot: this.#base,
      to: () => backend.openImport(importOptions(this.#home.info, { name, runtime })),
      onProgress: () => {},
      signal,
    }).then(({ id }) => id);
    copies.set(runtime ?? '', copying);
    // The next candidate tries again.
    copying.catch(() => copies.delete(runtime ?? ''));
    return copying;
  }

  async #delete(backend: SandboxBackend, id: string, connection?: SandboxConnection): Promise<void> {
    await connection?.close({ discard: true }).catch(() => undefined);
    try {
      await backend.delete({ id });
    } catch (error) {
      if (SandboxError.from(error).code !== 'not-found') this.leftOver.push(id);
    }
  }
}
