import { SandboxError } from '../../../protocol/errors.ts';

/** The services of git's smart HTTP protocol: what a fetch asks for, and a push. */
type GitService = 'git-upload-pack' | 'git-receive-pack';

/** What a request of git is for, on which server. */
export interface GitTarget {
  /** As the list of hosts has it: a name, with a port unless that is 443. */
  readonly host: string;
  readonly name: string;
  readonly port: number;
  readonly service: GitService;
  readonly method: 'GET' | 'POST';
  /** The path and the query to ask that server for. */
  readonly path: string;
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const hostPattern = new RegExp(`^(?=.{1,253}$)(${label}(?:\\.${label})*)(?::([1-9]\\d{0,4}))?$`);
const targetPattern =
  /^\/git\/([^/?#]+)((?:\/[^/?#]+)+)\/(info\/refs|git-upload-pack|git-receive-pack)(?:\?([^#]*))?$/;
const segmentPattern = /^[A-Za-z0-9._~!$&'()*+,;=:@%-]+$/;
const queryPattern = /^service=(git-upload-pack|git-receive-pack)$/;

/** A host as `parseGitTarget` names it; `undefined` for what is none: an address, a user, a path. */
export function parseGitHost(text: string): Pick<GitTarget, 'host' | 'name' | 'port'> | undefined {
  const [, name, digits] = hostPattern.exec(text.toLowerCase()) ?? [];
  const port = Number(digits ?? 443);
  // The last label of a name is no number: 127.1 and 2130706433 are spellings of an address.
  if (name === undefined || port > 65_535 || /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name)) return undefined;
  return { host: port === 443 ? name : `${name}:${port}`, name, port };
}

/**
 * What `/git/<host>/<path>` asks for: one of the four requests that git makes, and nothing else.
 * `url` is the target of the request as it came, so that what is checked is what is sent on.
 * @throws not-found for any other request; invalid-argument for a host or a path that is none
 */
export function parseGitTarget({ method, url }: { method: string; url: string }): GitTarget {
  const [, hostText = '', repository = '', action = '', query] = targetPattern.exec(url) ?? [];
  const service = serviceOf({ method, action, query });
  if (!service) throw new SandboxError('not-found', 'There is nothing at this path: it is no request of git');
  const host = parseGitHost(hostText);
  if (!host) throw refusal('its host is no name of one');
  if (!repository.slice(1).split('/').every(isPlain)) throw refusal('its path is not plain');
  const path = `${repository}/${action}${query === undefined ? '' : `?${query}`}`;
  return { ...host, service, method: method === 'GET' ? 'GET' : 'POST', path };
}

function serviceOf(request: {
  method: string;
  action: string;
  query: string | undefined;
}): GitService | undefined {
  const { method, action, query } = request;
  if (action === 'info/refs') {
    if (method !== 'GET') return undefined;
    return queryPattern.exec(query ?? '')?.[1] as GitService | undefined;
  }
  return method === 'POST' && query === undefined && action !== '' ? (action as GitService) : undefined;
}

/** Nothing that a server may take for another path than it looks like, however often it decodes. */
function isPlain(segment: string): boolean {
  if (!segmentPattern.test(segment)) return false;
  try {
    const text = decodeURIComponent(segment);
    return text !== '.' && text !== '..' && !/[/\\%\p{Cc}]/u.test(text);
  } catch {
    return false;
  }
}

function refusal(why: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot pass the request on: ${why}`);
}
