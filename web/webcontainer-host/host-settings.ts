import { SandboxError } from '../../protocol/errors.ts';
import { type Network, type RuntimeName, runtimeNames } from '../../protocol/sandbox/sandbox-info.ts';

/** What an instance runs in, as the page that embeds this one has chosen. */
export interface HostSettings {
  /** `v86` in the tab, and what a bridge usually has there, unless it is said. */
  readonly runtime: RuntimeName | undefined;
  readonly image: string | undefined;
  /** Sandboxes of this bridge instead of the tab's. */
  readonly bridge: { readonly url: string; readonly token: string } | undefined;
  /** A sandbox that exists, to go on with, such as a fork. */
  readonly sandbox: string | undefined;
  /** What a new sandbox of a bridge may reach: `npm install` from a registry needs `full`. */
  readonly network: Network | undefined;
  /** Where previews are shown: an origin of its own, in which `*` stands for a name of each preview. */
  readonly preview: string | undefined;
  /** The registry that `npm install` asks where the image has no npm, such as `https://npm.example`. */
  readonly registry: string | undefined;
}

/**
 * Reads the settings of this page's address. The package keeps nothing of `WEBCONTAINER_API_IFRAME_URL` but its origin; the
 * one parameter that an application sets is `configureAPIKey`'s, so that may hold others: `runtime=shell&image=node`.
 * @throws invalid-argument
 */
export function readHostSettings(search: string): HostSettings {
  const parameters = new URLSearchParams(search);
  const key = new URLSearchParams(parameters.get('client_id') ?? '');
  const read = (name: string): string | undefined => key.get(name) ?? parameters.get(name) ?? undefined;
  const runtime = read('runtime');
  const known = runtimeNames.find((name) => name === runtime);
  if (runtime !== undefined && known === undefined)
    throw new SandboxError(
      'invalid-argument',
      `Unknown runtime ${JSON.stringify(runtime)}: say ${runtimeNames.join(', ')}`,
    );
  const network = readNetwork(read('network'));
  const [url, token] = [read('bridge'), read('token')];
  if (url !== undefined && token === undefined)
    throw new SandboxError(
      'invalid-argument',
      `Cannot use the bridge at ${url}: add token=… to the settings`,
    );
  return {
    runtime: known,
    image: read('image'),
    bridge: url === undefined || token === undefined ? undefined : { url, token },
    sandbox: read('sandbox'),
    network,
    preview: read('preview'),
    registry: read('registry'),
  };
}

function readNetwork(name: string | undefined): Network | undefined {
  if (name === undefined || name === 'isolated' || name === 'full') return name;
  throw new SandboxError('invalid-argument', `Unknown network ${JSON.stringify(name)}: say isolated or full`);
}
