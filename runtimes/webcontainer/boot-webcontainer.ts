import type { WebContainer } from '@webcontainer/api';
import { SandboxError } from '../../protocol/errors.ts';
import { webcontainerLimits } from './limits.ts';

/** Where WebContainers run. */
export interface WebContainerHost {
  /** The origin of the page that the package boots against: a Coppice site, or StackBlitz without it. */
  readonly origin?: string | undefined;
  /** What `configureAPIKey` is told: a key of StackBlitz, or settings of a Coppice site, such as `runtime=shell`. */
  readonly key?: string | undefined;
}

const stackBlitz = 'https://stackblitz.com';
/** The package takes a key before its first boot only, and one origin per page. */
let configured: { readonly origin: string; readonly key: string | undefined } | undefined;

/**
 * Boots the one WebContainer that a page can have. The package is loaded here.
 * @throws connection-lost within `reachMs` when there is no such host, timeout, busy, invalid-argument (another host than before)
 */
export async function bootWebContainer({
  origin = stackBlitz,
  key,
}: WebContainerHost): Promise<WebContainer> {
  // A boot against a host that is not there never ends, and cannot be tried again in the same page.
  await reach(origin);
  (globalThis as { WEBCONTAINER_API_IFRAME_URL?: string }).WEBCONTAINER_API_IFRAME_URL = origin;
  const { WebContainer, configureAPIKey } = await import('@webcontainer/api');
  if (configured === undefined) {
    if (key !== undefined) configureAPIKey(key);
    configured = { origin, key };
  } else if (configured.origin !== origin || configured.key !== key) {
    const message = `Cannot boot against ${origin}: this page has booted against ${configured.origin} before; reload it`;
    throw new SandboxError('invalid-argument', message);
  }
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `Cannot boot WebContainer: ${origin} did not answer in time. Reload the page to try again`;
    timeout.reject(new SandboxError('timeout', message, { details: { url: origin } }));
  }, webcontainerLimits.bootMs);
  const booting = WebContainer.boot({ coep: 'none', workdirName: 'sandbox' });
  try {
    return await Promise.race([booting, timeout.promise]);
  } catch (cause) {
    void booting.then((late) => late.teardown()).catch(() => undefined); // It failed too.
    if (cause instanceof SandboxError) throw cause;
    const { message } = cause instanceof Error ? cause : new Error(String(cause));
    const code = /only a single/i.test(message) ? 'busy' : 'machine-failed';
    throw new SandboxError(code, `Cannot boot WebContainer: ${message}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** @throws connection-lost */
async function reach(origin: string): Promise<void> {
  const url = URL.parse('/headless', origin);
  if (url === null)
    throw new SandboxError(
      'invalid-argument',
      `${JSON.stringify(origin)} is no origin of a WebContainer host`,
    );
  try {
    await fetch(url, {
      mode: 'no-cors',
      credentials: 'omit',
      signal: AbortSignal.timeout(webcontainerLimits.reachMs),
    });
  } catch (cause) {
    const remedy =
      'serve the site of Coppice there, name another origin, or create the sandbox with runtime "v86" or "shell"';
    const message = `Cannot boot WebContainer: there is no host at ${url.origin}: ${remedy}`;
    throw new SandboxError('connection-lost', message, { details: { url: url.origin }, cause });
  }
}
