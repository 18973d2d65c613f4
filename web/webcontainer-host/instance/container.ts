import { type Architecture, tabArchitecture } from '../../../protocol/architecture.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { asRecord } from '../is-record.ts';
import { HostNpm } from '../npm/host-npm.ts';
import { openPackageCache } from '../npm/registry/package-cache.ts';
import type { TargetPlatform } from '../npm/reify-tree.ts';
import { exportTree, parseExportFormat } from '../trees/export-tree.ts';
import { mountTree } from '../trees/mount-tree.ts';
import { type ObjectServer, type ServedObject, served } from '../wire/object-server.ts';
import type { RemoteFunction } from '../wire/remote-function.ts';
import { ContainerEvents } from './container-events.ts';
import { resolveInWorkdir } from './container-paths.ts';
import { ContainerPreviews, type PreviewOptions } from './container-previews.ts';
import { ContainerProcesses } from './container-processes.ts';
import { fileMethods } from './file-methods.ts';
import { FileWatchers } from './file-watchers.ts';
import type { ContainerSandbox } from './open-container-sandbox.ts';

const systemPath = '/usr/local/bin:/usr/bin:/bin';
const home = '/home/user';

interface ContainerOptions {
  /** The container's from here on. */
  readonly owned: ContainerSandbox;
  readonly server: ObjectServer;
  readonly workdirName: string;
  readonly previews: PreviewOptions;
  /** The registry that packages are installed from, where the image has no npm. */
  readonly registry: string | undefined;
}

/** An instance: the object that `WebContainer.boot()` gets, over a sandbox. Whoever opens it disposes of it. */
export class Container implements AsyncDisposable {
  readonly #owned: ContainerSandbox;
  readonly #workdir: string;
  readonly #path: string;
  readonly #watchers: FileWatchers;
  readonly #events: ContainerEvents;
  readonly #processes: ContainerProcesses;
  readonly #previews: ContainerPreviews;
  #unsubscribe: () => void = () => undefined;
  #closing: Promise<void> | undefined;

  private constructor({ owned, server, workdirName, previews, registry }: ContainerOptions) {
    const { sandbox } = owned;
    const release = (listener: RemoteFunction): void => server.release(listener);
    this.#owned = owned;
    this.#workdir = `${home}/${workdirName}`;
    // What a project has installed comes first, as with `npm run`.
    this.#path = `${this.#workdir}/node_modules/.bin:${systemPath}`;
    this.#watchers = new FileWatchers(sandbox, { release });
    this.#events = new ContainerEvents({
      release,
      onListen: () => this.#previews.watch(),
    });
    this.#previews = new ContainerPreviews(sandbox, { ...previews, events: this.#events });
    this.#processes = new ContainerProcesses({
      ...{ sandbox, workdir: this.#workdir, path: this.#path, release },
      npm: new HostNpm({
        ...{ sandbox, registry, platform: platformOf(sandbox.info.architecture) },
        fetch: (...request) => fetch(...request),
        openCache: () => openPackageCache(globalThis.caches),
      }),
    });
  }

  /** Makes the working directory. @throws what the sandbox throws; then `owned` is disposed of */
  static async open(options: ContainerOptions): Promise<Container> {
    const { sandbox } = options.owned;
    try {
      const container = new Container(options);
      container.#unsubscribe = await sandbox.subscribe((event) => {
        if (event.type === 'machine-failed' || event.type === 'capture-stopped')
          container.#events.emit('error', { message: event.error.message });
      });
      await sandbox.files.makeDirectory(container.#workdir);
      return container;
    } catch (error) {
      await Promise.resolve(options.owned[Symbol.asyncDispose]()).catch(() => undefined);
      throw error;
    }
  }

  get sandbox(): ContainerSandbox['sandbox'] {
    return this.#owned.sandbox;
  }

  /** What the package asks of an instance. */
  object(onTeardown: () => Promise<void>): ServedObject {
    const { sandbox } = this.#owned;
    const files = fileMethods({ files: sandbox.files, workdir: this.#workdir, watchers: this.#watchers });
    return {
      methods: {
        fs: () => served(files),
        previewScript: () => served({}),
        runtimeInfo: () => ({ path: this.#path, cwd: this.#workdir }),
        loadFiles: (packed, options) => this.#mount(packed, options),
        serialize: (path, options) => this.#export(path, options),
        run: (ask, _stdout, _stderr, output) => this.#run(ask, output),
        on: (event, listener) => this.#events.add(event, listener),
        setPreviewScript: (source, options) => this.#previews.setScript(source, options),
        // Tokens of StackBlitz are for their packages; nothing here asks for one.
        setCredentials: () => undefined,
        teardown: onTeardown,
      },
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#unsubscribe();
    this.#watchers.close();
    this.#previews.close();
    this.#processes.close();
    await this.#owned[Symbol.asyncDispose]();
  }

  async #mount(packed: unknown, options: unknown): Promise<void> {
    if (!(packed instanceof Uint8Array))
      throw new SandboxError('invalid-argument', 'Cannot mount: it is neither a tree nor a snapshot');
    const { mountPoints: point } = asRecord(options);
    await mountTree(this.sandbox, packed, resolveInWorkdir(this.#workdir, point ?? '.', 'mount'));
  }

  #export(path: unknown, options: unknown): Promise<Uint8Array> {
    const { format, includes, excludes } = asRecord(options);
    return exportTree(this.sandbox, {
      path: resolveInWorkdir(this.#workdir, path, 'export'),
      format: parseExportFormat(format ?? 'json'),
      includes: patterns(includes),
      excludes: patterns(excludes),
    });
  }

  async #run(ask: unknown, output: unknown): Promise<ServedObject> {
    await this.#watchers.added; // The application does not wait for them.
    const process = await this.#processes.spawn(ask, output);
    this.#previews.onSpawn();
    return process;
  }
}

/** As Node.js of such an image calls what it runs on. A shell runs no programs of packages, and takes those of the tab's machine. */
function platformOf(architecture: Architecture = tabArchitecture): TargetPlatform {
  return { os: 'linux', cpu: architecture === 'amd64' ? 'x64' : 'ia32', libc: 'glibc' };
}

function patterns(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((pattern) => typeof pattern === 'string') : [];
}
