import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { formatBytes } from '../text/format-bytes.ts';

/** No cookies and no referrer are sent to the server. */
const anonymous: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer', mode: 'cors' };

/**
 * The URL of a file that a link may name: on this site, on another by TLS, or on this computer.
 * @throws invalid-argument
 */
export function parseSnapshotUrl(text: string, site: string): URL {
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
export async function askSnapshotSize(
  url: URL,
  { signal }: { signal: AbortSignal },
): Promise<number | undefined> {
  const response = await ask(url, { method: 'HEAD', signal });
  return sizeOf(response, url);
}

/** The pieces of the file, as they arrive. @throws asset-unavailable, limit-exceeded, timeout */
export async function* fetchSnapshot(
  url: URL,
  {
    signal,
    onProgress,
  }: { signal: AbortSignal; onProgress: (doneBytes: number, totalBytes: number) => void },
): AsyncGenerator<Uint8Array, void> {
  const stop = new AbortController();
  const response = await ask(url, { method: 'GET', signal: AbortSignal.any([signal, stop.signal]) });
  const totalBytes = sizeOf(response, url) ?? 0;
  const reader = response.body?.getReader();
  let doneBytes = 0;
  try {
    while (reader !== undefined) {
      const idle = setTimeout(() => stop.abort(), limits.sharedIdleTimeoutMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(idle));
      if (done) break;
      doneBytes += value.length;
      if (doneBytes > limits.sharedFileBytes) throw tooLarge(url);
      onProgress(doneBytes, totalBytes);
      yield value;
    }
  } catch (error) {
    if (error instanceof SandboxError || signal.aborted) throw error;
    throw refusal(`${url.host} stopped in the middle of the file`, 'asset-unavailable');
  } finally {
    stop.abort();
  }
}

async function ask(url: URL, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
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

function sizeOf(response: Response, url: URL): number | undefined {
  const text = response.headers.get('content-length');
  const sizeBytes = text === null ? Number.NaN : Number(text);
  if (sizeBytes > limits.sharedFileBytes) throw tooLarge(url);
  return Number.isSafeInteger(sizeBytes) && sizeBytes >= 0 ? sizeBytes : undefined;
}

function tooLarge(url: URL): SandboxError {
  const most = formatBytes(limits.sharedFileBytes);
  return refusal(`the file at ${url.host} is larger than ${most}`, 'limit-exceeded');
}

function refusal(
  why: string,
  code: 'invalid-argument' | 'asset-unavailable' | 'limit-exceeded' | 'timeout',
): SandboxError {
  return new SandboxError(code, `Cannot open the snapshot: ${why}`);
}
