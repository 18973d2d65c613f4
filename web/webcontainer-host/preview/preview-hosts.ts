import { isRecord } from '../is-record.ts';
import { hostLimits } from '../limits.ts';

/** The file at a preview's origin that names the origins of its hosts: `{ "hosts": ["https://machines.example.com"] }`. */
const hostsFile = '/coppice-preview.json';

/**
 * The origins whose pages the preview page believes. An address that anyone can write names none. Where there is no such file,
 * or it names this origin, sandboxes may be stored here: then nothing of a preview may run.
 * @throws Error that says what the operator does
 */
export async function readHosts(origin: string): Promise<readonly string[]> {
  const answer = await fetch(hostsFile, { cache: 'no-store', credentials: 'omit', redirect: 'error' });
  const value: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined;
  const hosts = isRecord(value) && Array.isArray(value.hosts) ? value.hosts : [];
  const isList = hosts.length > 0 && hosts.length <= hostLimits.previewHosts && hosts.every(isOrigin);
  if (isList && !hosts.includes(origin)) return hosts;
  const how = `${origin}${hostsFile} has to name 1 to ${hostLimits.previewHosts} other origins, those of the site: { "hosts": ["https://machines.example.com"] }`;
  throw new Error(`This address is not one of previews: ${how}`);
}

function isOrigin(value: unknown): value is string {
  return typeof value === 'string' && /^https?:/.test(value) && URL.parse(value)?.origin === value;
}
