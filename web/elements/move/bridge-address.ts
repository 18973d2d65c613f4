/** The address of a bridge and a token, as the user entered them. */
export interface BridgeEntry {
  /** `http:` or `https:`, without user, query and fragment. */
  readonly url: string;
  readonly token: string;
}

const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const tokenText = /^[\w!#$%&'*+.^`|~-]{1,512}$/;
const schemes: Readonly<Record<string, string>> = { 'ws:': 'http:', 'wss:': 'https:' };

/** A bridge's normalized address, or why no page can reach it. */
export function parseBridgeUrl(text: string): { readonly url: string } | { readonly why: string } {
  const typed = text.trim();
  const url = URL.parse(/^[a-z]+:\/\//i.test(typed) ? typed : `http://${typed}`);
  if (url === null || typed === '')
    return { why: 'This is no address. One looks like http://127.0.0.1:7070.' };
  url.protocol = schemes[url.protocol] ?? url.protocol;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { why: 'The address of a bridge begins with http:// or https://.' };
  }
  if (url.protocol === 'http:' && !loopbackNames.includes(url.hostname)) {
    return {
      why: 'Bridges of other machines need https://: a token that crosses a network in the clear is everybody’s.',
    };
  }
  for (const part of ['search', 'hash', 'username', 'password'] as const) url[part] = '';
  return { url: url.href.replace(/\/+$/, '') };
}

/** Whether `token` may be a bridge's token: it is sent as the name of a subprotocol. */
export function isBridgeToken(token: string): boolean {
  return tokenText.test(token);
}

/** What people call a bridge: its host and port, with the path it is served under. */
export function bridgeName(url: string): string {
  return url.replace(/^https?:\/\//, '');
}

/** The bridge that the fragment of a link names, as `npm run bridge` prints it; `undefined` when it names none. */
export function readBridgeLink(hash: string): BridgeEntry | undefined {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const parsed = parseBridgeUrl(parameters.get('bridge') ?? '');
  const token = parameters.get('token') ?? '';
  return 'url' in parsed && isBridgeToken(token) ? { url: parsed.url, token } : undefined;
}
