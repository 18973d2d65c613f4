import { orAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxEvent } from '../../../protocol/sandbox/events.ts';
import type { Change } from '../../../protocol/sandbox/history.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { writeSnapshotFile } from '../../../sdk/snapshot-file.ts';
import type { EmbedFile } from '../embed-file.ts';
import type { EmbedRuntime } from '../embed-runtime.ts';
import { embedLimits } from '../limits.ts';
import type { EmbedConnection } from './connect-embed.ts';

export interface EmbedStartOptions {
  readonly runtime: EmbedRuntime;
  readonly image: string | undefined;
  /** The address of a snapshot's file, which this page fetches. */
  readonly snapshot: URL | undefined;
  /** The sandbox of the frame in which its reader goes on from a recording, instead of one that is made here. */
  readonly continued: Promise<string> | undefined;
  /** The files of the page, as they are when there is a sandbox to write them into. */
  readonly takeFiles: () => readonly EmbedFile[];
  readonly signal: AbortSignal;
  readonly onEvent: (event: SandboxEvent) => void;
}

const home = '/home/user';

/** What an element does with its frame: one sandbox, the snapshot that it began with, and forks of it. */
export class EmbedSession {
  readonly connection: EmbedConnection;
  readonly #options: EmbedStartOptions;
  #now: { readonly sandbox: Sandbox; readonly start: string };
  readonly #forks: Sandbox[] = [];

  private constructor(
    connection: EmbedConnection,
    options: EmbedStartOptions,
    now: { readonly sandbox: Sandbox; readonly start: string },
  ) {
    this.connection = connection;
    this.#options = options;
    this.#now = now;
  }

  get sandbox(): Sandbox {
    return this.#now.sandbox;
  }

  /** The snapshot with the files as the page gives them. */
  get start(): string {
    return this.#now.start;
  }

  /** Makes the sandbox of a frame, and shows that. @throws what creating throws; aborted */
  static async open(connection: EmbedConnection, options: EmbedStartOptions): Promise<EmbedSession> {
    const sandbox = await makeSandbox(connection, options);
    const session = new EmbedSession(connection, options, await begin(sandbox, { connection, options }));
    session.#show();
    return session;
  }

  /**
   * Goes on in another sandbox of the frame; the one before, and its forks, are deleted. If that fails, the other one is deleted.
   * @throws what opening and writing files throw
   */
  async continueIn(id: string): Promise<void> {
    const { connection } = this;
    const { backend } = connection;
    const sandbox = await Sandbox.open(id, { backend, signal: this.#options.signal });
    try {
      const now = await begin(sandbox, { connection, options: this.#options });
      const before = [this.sandbox, ...this.#forks.splice(0)];
      this.#now = now;
      for (const { id } of before) await backend.delete({ id });
    } finally {
      this.#show();
    }
  }

  /** Writes files as their user has edited them. */
  async write(files: readonly EmbedFile[]): Promise<void> {
    for (const file of files) await writeFile(this.sandbox, file);
  }

  /** Enters a command into the terminal, which is shown if a recording was. */
  enter(line: string): void {
    this.#show();
    this.connection.view.enter(this.sandbox.id, line);
  }

  /** Goes back to the start; forks are deleted. */
  async reset(): Promise<void> {
    for (const fork of this.#forks.splice(0)) await this.connection.backend.delete({ id: fork.id });
    await this.sandbox.checkout(this.start);
    this.#show();
  }

  /** Another sandbox that goes on from now, shown beside. @throws limit-exceeded, and what forking throws */
  async fork(): Promise<Sandbox> {
    const [fork] = await this.sandbox.fork({ name: `fork ${this.#forks.length + 1}` });
    if (!(fork instanceof Sandbox)) throw fork;
    this.#forks.push(fork);
    this.#show();
    return fork;
  }

  /** How the last fork differs from the sandbox, or, without one, the sandbox from its start. */
  async compare(): Promise<{
    readonly from: string;
    readonly to: string;
    readonly changes: readonly Change[];
  }> {
    const fork = this.#forks.at(-1);
    if (!fork) return { from: 'the start', to: 'now', changes: await this.sandbox.diff(this.start, 'now') };
    const { id: snapshot } = await fork.createSnapshot({ label: 'compare', ifChanged: true });
    const changes = await this.sandbox.diff('now', { sandbox: fork.id, snapshot });
    return { from: 'this sandbox', to: fork.info.name, changes };
  }

  async isEdited(): Promise<boolean> {
    return (await this.sandbox.diff(this.start, 'HEAD')).length > 0;
  }

  /** The file of a snapshot of now, as the site opens it. @throws limit-exceeded */
  async snapshotFile(): Promise<Uint8Array<ArrayBuffer>> {
    const { id: snapshot } = await this.sandbox.createSnapshot({ label: 'shared', ifChanged: true });
    const { info, connection } = this.sandbox;
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let sizeBytes = 0;
    for await (const piece of writeSnapshotFile(connection, { info, snapshot })) {
      sizeBytes += piece.length;
      if (sizeBytes > embedLimits.snapshotBytes)
        throw new SandboxError(
          'limit-exceeded',
          'What this sandbox has changed is too large for a file here',
        );
      pieces.push(new Uint8Array(piece));
    }
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
  }

  #show(): void {
    const shown = [this.sandbox, ...this.#forks].map(({ id, info }) => ({ id, title: info.name }));
    this.connection.view.show(shown);
  }
}

/** Puts the page's files into a sandbox, which is deleted if that fails: the next attempt makes another. */
async function begin(
  sandbox: Sandbox,
  { connection: { backend }, options }: { connection: EmbedConnection; options: EmbedStartOptions },
): Promise<{ readonly sandbox: Sandbox; readonly start: string }> {
  try {
    for (const file of options.takeFiles()) await writeFile(sandbox, file);
    const { id: start } = await sandbox.createSnapshot({ label: 'start', ifChanged: true });
    await sandbox.subscribe(options.onEvent);
    return { sandbox, start };
  } catch (error) {
    await backend.delete({ id: sandbox.id }).catch(() => undefined); // The first error says more.
    throw error;
  }
}

async function makeSandbox(
  { backend }: EmbedConnection,
  { runtime, image, snapshot, continued, signal }: EmbedStartOptions,
): Promise<Sandbox> {
  if (continued !== undefined) {
    const id = await orAborted(continued, { signal, what: 'Cannot go on from the recording' });
    return Sandbox.open(id, { backend, signal });
  }
  if (snapshot === undefined)
    return Sandbox.create({
      backend,
      runtime,
      signal,
      name: 'sandbox',
      ...(image === undefined ? {} : { image }),
    });
  const { id } = await Sandbox.importSnapshot(fetchPieces(snapshot, signal), { backend });
  return Sandbox.open(id, { backend, signal });
}

/** This page fetches it, with its own rights. @throws asset-unavailable, limit-exceeded */
async function* fetchPieces(url: URL, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const response = await fetch(url, { signal }).catch(() => undefined);
  if (!response?.ok || !response.body) {
    const why = response
      ? `${url.host} answers ${response.status}`
      : `${url.host} does not let this page read it`;
    throw new SandboxError('asset-unavailable', `Cannot open the snapshot: ${why}`);
  }
  let sizeBytes = 0;
  const reader = response.body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      sizeBytes += read.value.length;
      if (sizeBytes > embedLimits.snapshotBytes)
        throw new SandboxError('limit-exceeded', `The file at ${url.host} is too large for an embed`);
      yield read.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // What is wrong is told already.
  }
}

async function writeFile(sandbox: Sandbox, { path, text }: EmbedFile): Promise<void> {
  const parent = path.split('/').slice(0, -1).join('/');
  if (parent !== '') await sandbox.files.makeDirectory(`${home}/${parent}`);
  await sandbox.files.write(`${home}/${path}`, text);
}
