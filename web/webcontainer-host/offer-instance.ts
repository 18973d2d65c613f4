import { SandboxError } from '../../protocol/errors.ts';
import { Container } from './instance/container.ts';
import type { ContainerSandbox } from './instance/open-container-sandbox.ts';
import { asRecord } from './is-record.ts';
import type { ForwardErrors } from './preview/page-scripts.ts';
import type { PreviewAddresses } from './preview/preview-addresses.ts';
import { ObjectServer, type ServedObject, served } from './wire/object-server.ts';

interface InstanceParts {
  /** The origin of the page that embeds this one. */
  readonly embedder: string;
  readonly openSandbox: () => Promise<ContainerSandbox>;
  /** Of one instance. */
  readonly previewAddresses: () => PreviewAddresses;
  /** The registry that instances install packages from. */
  readonly registry?: (() => string | undefined) | undefined;
}

/** What boots instances for one page, one at a time. */
export class InstanceOffer {
  readonly #parts: InstanceParts;
  /** While one is there, is being made, or is being torn down. */
  #building: Promise<Container> | undefined;
  #container: Container | undefined;

  /** Serves `port`: whoever has its other end may boot. */
  constructor(port: MessagePort, parts: InstanceParts) {
    this.#parts = parts;
    new ObjectServer().serve(port, { methods: { build: (options) => this.#build(options) } });
  }

  /** The instance that is there. @throws not-found */
  get container(): Container {
    if (this.#container) return this.#container;
    throw new SandboxError('not-found', 'No WebContainer is booted: call WebContainer.boot() first');
  }

  /** @throws busy while there is another; forbidden, invalid-argument, and what opening a sandbox throws */
  async #build(options: unknown): Promise<ServedObject> {
    const { host, workdirName, forward } = parseBuildOptions(options);
    const own = new URL(this.#parts.embedder).host;
    if (host !== own) {
      const message = `Cannot boot for ${JSON.stringify(host)}: this page is embedded by ${own}`;
      throw new SandboxError('forbidden', message);
    }
    if (this.#building) throw new SandboxError('busy', 'Only a single WebContainer instance can be booted');
    // Each instance has its own: what ends with one leaves the next alone.
    const server = new ObjectServer();
    const building = this.#open(server, { workdirName, forward });
    this.#building = building;
    try {
      const container = await building;
      this.#container = container;
      return served(
        container.object(() => this.#tearDown(container, server)),
        server,
      );
    } catch (error) {
      this.#building = undefined;
      throw error;
    }
  }

  async #open(
    server: ObjectServer,
    { workdirName, forward }: Pick<BuildOptions, 'workdirName' | 'forward'>,
  ): Promise<Container> {
    const { embedder, openSandbox, previewAddresses, registry } = this.#parts;
    const owned = await openSandbox();
    const previews = { addresses: previewAddresses(), embedder, forward };
    return Container.open({ owned, server, workdirName, previews, registry: registry?.() });
  }

  /** Frees all that the instance has; the next may boot then. */
  async #tearDown(container: Container, server: ObjectServer): Promise<void> {
    if (this.#container !== container) return;
    this.#container = undefined;
    try {
      await container[Symbol.asyncDispose]();
    } finally {
      this.#building = undefined;
      // After the answer to this very call. In a hidden tab that may be long after the next boot.
      setTimeout(() => server.close(), 0);
    }
  }
}

interface BuildOptions {
  readonly host: unknown;
  readonly workdirName: string;
  readonly forward: ForwardErrors;
}

/** @throws invalid-argument */
function parseBuildOptions(options: unknown): BuildOptions {
  const { host, workdirName = 'project', forwardPreviewErrors: asked } = asRecord(options);
  const forward = asked === true || asked === 'exceptions-only' ? asked : false;
  if (typeof workdirName === 'string' && /^[\w.-]{1,100}$/.test(workdirName) && !/^\.+$/.test(workdirName))
    return { host, workdirName, forward };
  const message = `Cannot boot in ${JSON.stringify(workdirName)}: a directory's name has letters, digits, ".", "_" and "-"`;
  throw new SandboxError('invalid-argument', message);
}
