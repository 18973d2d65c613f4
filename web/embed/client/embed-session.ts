import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxEvent } from '../../../protocol/sandbox/events.ts';
import type { Change } from '../../../protocol/sandbox/history.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { writeSnapshotFile } from '../../../sdk/snapshot-file.ts';
import type { EmbedFile } from '../embed-file.ts';
import { embedLimits } from '../limits.ts';
import type { EmbedLook, ViewEvent } from '../messages.ts';
import { connectEmbed, type EmbedConnection } from './connect-embed.ts';

export interface EmbedStartOptions {
  readonly origin: string;
  readonly look: EmbedLook;
  readonly runtime: 'shell' | 'v86';
  readonly image: string | undefined;
  /** The address of a snapshot's file, which this page fetches. */
  readonly snapshot: URL | undefined;
  readonly files: readonly EmbedFile[];
  readonly signal: AbortSignal;
  readonly onView: (event: ViewEvent) => void;
  readonly onEvent: (event: SandboxEvent) => void;
}

const home = '/home/user';

/** What an element does with its frame: one sandbox, the snapshot that it began with, and forks of it. */
export class EmbedSession implements AsyncDisposable {
  readonly connection: EmbedConnection;
  readonly sandbox: Sandbox;
  /** The files as the page gives them. */
  readonly start: string;
  readonly #forks: Sandbox[] = [];

  private constructor(parts: { connection: EmbedConnection; sandbox: Sandbox; start: string }) {
    this.connection = parts.connection;
    this.sandbox = parts.sandbox;
    this.start = parts.start;
  }

  /** Connects to the frame, makes its sandbox, and shows that. @throws what connecting and creating throw */
  static async open(frame: HTMLIFrameElement, options: EmbedStartOptions): Promise<EmbedSession> {
    const { origin, signal, look, onView: onEvent, files } = options;
    const connection = await connectEmbed(frame, { origin, signal, onEvent });
    try {
      connection.view.look(look);
      const sandbox = await makeSandbox(connection, options);
      for (const file of files) await writeFile(sandbox, file);
      const { id: start } = await sandbox.createSnapshot({ label: 'start', ifChanged: true });
      const session = new EmbedSession({ connection, sandbox, start });
      await sandbox.subscribe(options.onEvent);
      session.#show();
      return session;
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Writes files as their user has edited them. */
  async write(files: readonly EmbedFile[]): Promise<void> {
    for (const file of files) await writeFile(this.sandbox, file);
  }

  /** Enters a command into the terminal. */
  enter(line: string): void {
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection[Symbol.asyncDispose]();
  }

  #show(): void {
    const shown = [this.sandbox, ...this.#forks].map(({ id, info }) => ({ id, title: info.name }));
    this.connection.view.show(shown);
  }
}

async function makeSandbox(
  { backend }: EmbedConnection,
  { runtime, image, snapshot, signal }: EmbedStartOptions,
): Promise<Sandbox> {
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
