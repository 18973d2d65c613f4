import type { Editor, ToolOutputImage } from '@openai/agents-core';
import type {
  Entry,
  ExecCommandArgs,
  ExposedPortEndpoint,
  ListDirectoryArgs,
  Manifest,
  MaterializeEntryArgs,
  ReadFileArgs,
  SandboxDirectoryEntry,
  SandboxExecResult,
  SandboxSession,
  SandboxSessionState,
  ViewImageArgs,
  WorkspaceArchiveData,
  WriteStdinArgs,
} from '@openai/agents-core/sandbox';
import { Permissions } from '@openai/agents-core/sandbox';
import {
  formatExecResponse,
  imageOutputFromBytes,
  mergeManifestDelta,
  mergeManifestEntryDelta,
} from '@openai/agents-core/sandbox/internal';
import { askSandbox } from '../../protocol/ask-sandbox.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Sandbox } from '../sandbox.ts';
import { createEditor } from './openai-agents-editor.ts';
import { AgentProcesses } from './openai-agents-processes.ts';
import { SandboxSteps, type Step } from './sandbox-steps.ts';
import { shortId } from './short-id.ts';
import { writeFile } from './write-file.ts';

/** What is kept of a session for another process: `client.resume` opens its sandbox again. */
export interface AgentsSessionState extends SandboxSessionState {
  sandboxId: string;
}

/**
 * Where a port of a sandbox can be reached: what listens there joins each connection with one of
 * `sandbox.network.connect(port)`. Whoever gives it ends that when the sandbox closes.
 */
export type ExposePort = (
  port: number,
  sandbox: Sandbox,
) => ExposedPortEndpoint | Promise<ExposedPortEndpoint>;

export interface AgentsSessionOptions {
  readonly onClose?: (() => Promise<void>) | undefined;
  readonly exposePort?: ExposePort | undefined;
}

/**
 * A sandbox as the session of a `SandboxAgent`: its workspace is the manifest's root. Every call that may change files
 * ends with a snapshot, of which the model is told.
 */
export class AgentsSession implements SandboxSession<AgentsSessionState> {
  readonly sandbox: Sandbox;
  state: AgentsSessionState;
  readonly #steps: SandboxSteps;
  readonly #processes: AgentProcesses;
  readonly #onClose: (() => Promise<void>) | undefined;
  readonly #exposePort: ExposePort | undefined;

  /** `onClose` is for whoever made the sandbox for this session; without it, closing leaves the sandbox open. */
  constructor(sandbox: Sandbox, manifest: Manifest, { onClose, exposePort }: AgentsSessionOptions = {}) {
    this.sandbox = sandbox;
    this.#exposePort = exposePort;
    this.state = { manifest, sandboxId: sandbox.id, workspaceReady: true, environment: {} };
    this.#steps = SandboxSteps.of(sandbox);
    this.#processes = new AgentProcesses(sandbox);
    this.#onClose = onClose;
  }

  /** Makes the workspace's directory, which belongs to the sandbox's user, and puts the manifest's files there. */
  async prepare(): Promise<void> {
    const { manifest } = this.state;
    this.state.environment = { ...this.state.environment, ...(await manifest.resolveEnvironment()) };
    await makeWorkspace(this.sandbox, manifest.root);
    for (const [path, entry] of Object.entries(manifest.entries)) await this.#materialize(path, entry);
  }

  supportsPty(): boolean {
    return true;
  }

  createEditor(): Editor {
    return createEditor(this.sandbox, this.state.manifest.root);
  }

  async execCommand(args: ExecCommandArgs): Promise<string> {
    return formatStep(await this.#exec(args));
  }

  async exec(args: ExecCommandArgs): Promise<SandboxExecResult> {
    return (await this.#exec(args)).value;
  }

  async writeStdin(args: WriteStdinArgs): Promise<string> {
    const write = () =>
      this.#processes.write(args).catch((cause: unknown) => {
        const error = SandboxError.from(cause);
        if (error.code !== 'not-found' && error.code !== 'unsupported') throw cause;
        return { output: error.message, stdout: '', stderr: '', wallTimeSeconds: 0, exitCode: 1 };
      });
    return formatStep(await this.#steps.take(write, { label: 'write_stdin', tool: 'write_stdin' }));
  }

  async readFile({ path, maxBytes }: ReadFileArgs): Promise<Uint8Array> {
    const bytes = await this.sandbox.files.read(await this.#resolve(path), { format: 'bytes' });
    return bytes.subarray(0, maxBytes);
  }

  async viewImage({ path }: ViewImageArgs): Promise<ToolOutputImage> {
    const file = await this.#resolve(path);
    const { sizeBytes } = await this.sandbox.files.stat(file);
    if (sizeBytes > limits.modelImageBytes) {
      throw new SandboxError(
        'limit-exceeded',
        `Cannot show ${path}: it has ${sizeBytes} bytes; make it smaller`,
      );
    }
    return imageOutputFromBytes(path, await this.sandbox.files.read(file, { format: 'bytes' }));
  }

  async listDir({ path }: ListDirectoryArgs): Promise<SandboxDirectoryEntry[]> {
    const entries = await this.sandbox.files.list(await this.#resolve(path));
    return entries.map(({ name, path, type }) => ({
      name,
      path,
      type: type === 'directory' ? 'dir' : type === 'file' ? 'file' : 'other',
    }));
  }

  async pathExists(path: string): Promise<boolean> {
    return this.sandbox.files.exists(await this.#resolve(path));
  }

  async directoryExists(path: string): Promise<boolean> {
    const file = await this.#resolve(path);
    return (
      (await this.sandbox.files.exists(file)) && (await this.sandbox.files.stat(file)).type === 'directory'
    );
  }

  async materializeEntry({ path, entry }: MaterializeEntryArgs): Promise<void> {
    await this.#materialize(path, entry);
    this.state.manifest = mergeManifestEntryDelta(this.state.manifest, path, entry);
  }

  async applyManifest(manifest: Manifest): Promise<void> {
    for (const [path, entry] of Object.entries(manifest.entries)) await this.#materialize(path, entry);
    this.state.environment = { ...this.state.environment, ...(await manifest.resolveEnvironment()) };
    this.state.manifest = mergeManifestDelta(this.state.manifest, manifest);
  }

  /** The workspace as a tar archive. @throws limit-exceeded past `limits.agentWorkspaceBytes` */
  async persistWorkspace(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of await this.sandbox.exportTar({ path: this.state.manifest.root })) {
      size += piece.length;
      if (size > limits.agentWorkspaceBytes) {
        const message = `Cannot put the workspace into memory: it has more than ${limits.agentWorkspaceBytes} bytes`;
        throw new SandboxError('limit-exceeded', `${message}; fork the sandbox instead`);
      }
      pieces.push(piece);
    }
    return new Blob(pieces.map((piece) => new Uint8Array(piece))).bytes();
  }

  /** Replaces all of the workspace by a tar archive. @throws what `importTar` does, and the workspace stays as it is */
  async hydrateWorkspace(data: WorkspaceArchiveData): Promise<void> {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data);
    const { root } = this.state.manifest;
    await this.#steps.take(() => replaceDirectory(this.sandbox, root, bytes), { label: `replace ${root}` });
  }

  /** @throws unsupported without `exposePort` */
  async resolveExposedPort(port: number): Promise<ExposedPortEndpoint> {
    if (this.#exposePort) return this.#exposePort(port, this.sandbox);
    const message = `Cannot reach port ${port} from outside: give an exposePort, or connect to it with sandbox.network.connect`;
    throw new SandboxError('unsupported', message, { details: { feature: 'ports' } });
  }

  /** Ends what runs in it; its sandbox is closed by whoever made it. */
  async close(): Promise<void> {
    await this.#processes.close();
    await this.#onClose?.();
  }

  #exec(args: ExecCommandArgs): Promise<Step<SandboxExecResult>> {
    const { cmd, workdir, tty, shell, runAs } = args;
    const start = async () => {
      const command = shell === undefined ? cmd : `exec ${quote(shell)} -c ${quote(cmd)}`;
      const cwd = await this.#resolve(workdir ?? '.');
      const envs = this.state.environment ?? {};
      return this.#processes.exec({ cmd: command, cwd, envs, user: user(runAs), tty: tty ?? false }, args);
    };
    return this.#steps.take(start, { label: cmd, tool: 'exec_command' });
  }

  #resolve(path: string): Promise<string> {
    return this.#steps.resolve(path, this.state.manifest.root);
  }

  async #materialize(path: string, entry: Entry): Promise<void> {
    const target = await this.#resolve(path);
    if (entry.type === 'dir') {
      await this.sandbox.files.makeDirectory(target);
      for (const [name, child] of Object.entries(entry.children ?? {})) {
        await this.#materialize(`${target}/${name}`, child);
      }
      return;
    }
    if (entry.type === 'file') {
      const { content, permissions } = entry;
      const mode = permissions === undefined ? {} : { mode: new Permissions(permissions).toMode() & 0o7777 };
      return writeFile(this.sandbox, target, content, mode);
    }
    const message = `Cannot put a ${entry.type} at ${path}: a manifest's entries can be files and directories here`;
    throw new SandboxError('unsupported', `${message}; copy what is needed into the sandbox first`, {
      details: { feature: entry.type },
    });
  }
}

async function makeWorkspace(sandbox: Sandbox, root: string): Promise<void> {
  if (await sandbox.files.exists(root)) return;
  await sandbox.files.makeDirectory(root);
  // Where it cannot be the user's, root runs everything.
  await askSandbox(sandbox.connection, { script: 'chown user: "$1" || :', args: [root], user: 'root' });
}

/** The archive is unpacked beside the old files first, so that these are there until it is whole. */
async function replaceDirectory(sandbox: Sandbox, directory: string, archive: Uint8Array): Promise<void> {
  const { files } = sandbox;
  const unpacked = `${directory}/.unpacked-${crypto.randomUUID()}`;
  await makeWorkspace(sandbox, unpacked);
  try {
    await sandbox.importTar(onePiece(archive), { path: unpacked });
    for (const { path } of await files.list(directory)) if (path !== unpacked) await files.remove(path);
    for (const { path } of await files.list(unpacked)) {
      await files.rename(path, `${directory}${path.slice(unpacked.length)}`);
    }
  } catch (error) {
    await files.remove(unpacked).catch(() => undefined); // What is to be told is what failed first.
    throw error;
  }
  await files.remove(unpacked);
}

/** The SDK's own words for a command's end, after the snapshot's id. */
function formatStep({ value, snapshot, unsaved }: Step<SandboxExecResult>): string {
  const after = snapshot ? `Snapshot: ${shortId(snapshot)}` : `No snapshot: ${unsaved}`;
  return `${after}\n${formatExecResponse(value)}`;
}

function user(name: string | undefined): 'user' | 'root' {
  if (name === undefined || name === 'user') return 'user';
  if (name === 'root') return 'root';
  throw new SandboxError(
    'unsupported',
    `Cannot run as ${JSON.stringify(name)}: there are "user" and "root"`,
    {
      details: { feature: 'user' },
    },
  );
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
