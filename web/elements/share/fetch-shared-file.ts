import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { formatBytes } from '../text/format-bytes.ts';

const theSnapshot: string = 'the snapshot';

/** What is fetched, as messages name it, and its most bytes. */
interface Wanted {
  readonly what?: string;
  readonly most?: number;
}

/** No cookies and no referrer are sent to the server. */
const anonymous: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer', mode: 'cors' };

/**
 * The URL of a file that a link may name: on this site, on another by TLS, or on this computer.
 * @throws invalid-argument
 */
export function parseSharedUrl(text: string, site: string, what: string = theSnapshot): URL {
  const refusal = refusalOf(what);
  const url = text.length <= limits.sharedUrlCharacters ? URL.parse(text, site) : null;
  if (url === null) throw refusal('it names no URL', 'invalid-argument');
  const isLocal = url.protocol === 'http:' && ['localhost', '127.0.0.1'].includes(url.hostname);
  const own = new URL(site);
  const isOwn = url.protocol === own.protocol && url.host === own.host;
  if (!isOwn && url.protocol !== 'https:' && !isLocal)
    throw refusal('the file is at an address without TLS (https)', 'invalid-argument');
  if (url.username !== '' || url.password !== '')
    throw refusal('its URL holds a password', 'invalid-argument');
  return url;
}

/** How large the file is, as its server says; `undefined` where it does not. @throws asset-unavailable, limit-exceeded */
export async function askSharedSize(
  url: URL,
  { signal }: { signal: AbortSignal },
): Promise<number | undefined> {
  const wanted = wantedOf({});
  const response = await ask(url, { method: 'HEAD', signal }, wanted);
  return sizeOf(response, url, wanted);
}

/** The pieces of the file, as they arrive. @throws asset-unavailable, limit-exceeded, timeout */
export async function* fetchSharedFile(
  url: URL,
  {
    signal,
    onProgress,
    ...options
  }: Wanted & { signal: AbortSignal; onProgress: (doneBytes: number, totalBytes: number) => void },
): AsyncGenerator<Uint8Array, void> {
  const wanted = wantedOf(options);
  const stop = new AbortController();
  const response = await ask(url, { method: 'GET', signal: AbortSignal.any([signal, stop.signal]) }, wanted);
  const totalBytes = sizeOf(response, url, wanted) ?? 0;
  const reader = response.body?.getReader();
  let doneBytes = 0;
  try {
    while (reader !== undefined) {
      const idle = setTimeout(() => stop.abort(), limits.sharedIdleTimeoutMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(idle));
      if (done) break;
      doneBytes += value.length;
      if (doneBytes > wanted.most) throw tooLarge(url, wanted);
      onProgress(doneBytes, totalBytes);
      yield value;
    }
  } catch (error) {
    if (error instanceof SandboxError || signal.aborted) throw error;
    throw refusalOf(wanted.what)(`${url.host} stopped in the middle of the file`, 'asset-unavailable');
  } finally {
    stop.abort();
  }
}

async function ask(
  url: URL,
  init: RequestInit & { signal: AbortSignal },
  { what }: Required<Wanted>,
): Promise<Response> {
  const refusal = refusalOf(what);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limits.sharedAnswerTimeoutMs);
  try {
    const response = await fetch(url, {
      ...anonymous,
      ...init,
      signal: AbortSignal.any([init.signal, late.signal]),
    });
    if (response.ok) return response;
    await response.body?.cancel();
    throw refusal(`${url.host} answers ${response.status}`, 'asset-unavailable');
  } catch (error) {
    if (error instanceof SandboxError || init.signal.aborted) throw error;
    if (late.signal.aborted) throw refusal(`${url.host} does not answer`, 'timeout');
    const why = `${url.host} is not there, or does not let other sites read the file (CORS)`;
    throw refusal(why, 'asset-unavailable');
  } finally {
    clearTimeout(timer);
  }
}

function sizeOf(response: Response, url: URL, wanted: Required<Wanted>): number | undefined {
  const text = response.headers.get('content-length');
  const sizeBytes = text === null ? Number.NaN : Number(text);
  if (sizeBytes > wanted.most) throw tooLarge(url, wanted);
  return Number.isSafeInteger(sizeBytes) && sizeBytes >= 0 ? sizeBytes : undefined;
}

function wantedOf({ what = theSnapshot, most = limits.sharedFileBytes }: Wanted): Required<Wanted> {
  return { what, most };
}

function tooLarge(url: URL, { what, most }: Required<Wanted>): SandboxError {
  return refusalOf(what)(`the file at ${url.host} is larger than ${formatBytes(most)}`, 'limit-exceeded');
}

function refusalOf(
  what: string,
): (
  why: string,
  code: 'invalid-argument' | 'asset-unavailable' | 'limit-exceeded' | 'timeout',
) => SandboxError {
  return (why, code) => new SandboxError(code, `Cannot open ${what}: ${why}`);
}
