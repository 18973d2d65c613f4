import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { describeRuntime } from '../../../protocol/runtime-description.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { BridgeAddress, BridgeConnection } from '../../../sdk/connect.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { HostSettings } from '../host-settings.ts';
import { hostLimits } from '../limits.ts';

/** The label of sandboxes that instances made for themselves. */
const label = 'webcontainer';
/** The image that is taken where the site or the bridge has it: the one with Node.js. */
const nodeImage = 'node';

export interface ContainerSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox;
}

interface OpenOptions {
  readonly settings: HostSettings;
  readonly embedder: string;
  /** Opens the sandboxes of this tab, or of a bridge. */
  readonly openTab: () => Promise<SandboxBackend>;
  readonly connect: (bridge: BridgeAddress) => Promise<BridgeConnection>;
}

/**
 * The sandbox of an instance: the one that the settings name, which stays, or a new one, which is deleted at the end. What
 * an instance left whose page went away is deleted first.
 * @throws what `connect`, `Sandbox.create` and `Sandbox.open` throw
 */
export async function openContainerSandbox({
  settings,
  embedder,
  openTab,
  connect,
}: OpenOptions): Promise<ContainerSandbox> {
  const { bridge } = settings;
  const connection = bridge && (await connect(bridge));
  try {
    const backend = connection ?? (await openTab());
    const { sandbox: id } = settings;
    if (!connection) await deleteOrphans(backend, embedder);
    const sandbox =
      id === undefined
        ? await createSandbox(backend, { settings, embedder })
        : await openExisting(backend, { id, embedder: connection ? undefined : embedder });
    const renewing = id === undefined && connection ? renewEnd(sandbox) : undefined;
    return {
      sandbox,
      [Symbol.asyncDispose]: async () => {
        clearInterval(renewing);
        try {
          const closed = sandbox.close();
          if (id === undefined) {
            await closed.catch(() => undefined); // It is deleted all the same.
            await backend.delete({ id: sandbox.id });
          } else await closed;
        } finally {
          await connection?.[Symbol.asyncDispose]();
        }
      },
    };
  } catch (error) {
    await connection?.[Symbol.asyncDispose]();
    throw error;
  }
}

async function createSandbox(
  backend: SandboxBackend,
  { settings, embedder }: Pick<OpenOptions, 'settings' | 'embedder'>,
): Promise<Sandbox> {
  const { bridge, image, network } = settings;
  const runtime = settings.runtime ?? (bridge ? undefined : 'v86');
  const options = {
    backend,
    name: nameFor(embedder),
    metadata: { [label]: labelOf(embedder) },
    ...(runtime === undefined ? {} : { runtime }),
    ...(network === undefined ? {} : { network }),
    // A bridge deletes it even where this page cannot tell it to.
    ...(bridge ? { timeoutMs: hostLimits.sandboxMs } : {}),
  };
  if (image !== undefined) return Sandbox.create({ ...options, image });
  if (describeRuntime(runtime)?.image === false) return Sandbox.create(options);
  try {
    return await Sandbox.create({ ...options, image: nodeImage });
  } catch (cause) {
    if (SandboxError.from(cause).code !== 'asset-unavailable') throw cause;
    // An application looks here first when `node` is not found.
    const where = bridge ? `The bridge at ${bridge.url}` : `The site ${globalThis.location?.origin}`;
    console.warn(
      `${where} has no image "${nodeImage}": this WebContainer runs without Node.js. Build it with --image ${nodeImage}.`,
    );
    return Sandbox.create(options);
  }
}

/** Moves its end on while this page is there. What fails, such as while the connection is lost, is tried again the next time. */
function renewEnd(sandbox: Sandbox): ReturnType<typeof setInterval> {
  const renew = () => void sandbox.setTimeout(hostLimits.sandboxMs).catch(() => undefined);
  return setInterval(renew, hostLimits.sandboxRenewMs);
}

/** Of the tab's sandboxes, an embedding page may open those that were made for it. @throws not-found */
async function openExisting(
  backend: SandboxBackend,
  { id, embedder }: { readonly id: string; readonly embedder: string | undefined },
): Promise<Sandbox> {
  if (embedder !== undefined) {
    const own = await Sandbox.list({ backend, metadata: { [label]: labelOf(embedder) } });
    if (!own.some((sandbox) => sandbox.id === id))
      throw new SandboxError('not-found', `Cannot open sandbox "${id}": none of ${embedder} has this id`);
  }
  return Sandbox.open(id, { backend });
}

/** Those that another tab has open stay, as the backend refuses; so do forks, which have another name. */
async function deleteOrphans(backend: SandboxBackend, embedder: string): Promise<void> {
  const orphans = await Sandbox.list({ backend, metadata: { [label]: labelOf(embedder) } });
  for (const { id, name } of orphans) {
    if (name === nameFor(embedder)) await backend.delete({ id }).catch(() => undefined);
  }
}

function nameFor(embedder: string): string {
  return `WebContainer of ${embedder}`.slice(0, limits.sandboxNameCharacters);
}

function labelOf(embedder: string): string {
  return embedder.slice(0, limits.metadataValueCharacters);
}
