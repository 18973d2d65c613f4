import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { toLatin1 } from '../latin1.ts';
import type { AnswerHead, PreviewRequest } from './preview-messages.ts';

type Headers = readonly (readonly [string, string])[];

const token = /^[!#$%&'*+.^`|~\w-]+$/;
/** Of one connection, and so not the page's affair (RFC 9110, 7.6.1); and what is said here of the request itself. */
const ofConnection = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['host', 'content-length', 'accept-encoding', 'expect'],
]);

/** The head of a request, for a connection that ends with its answer (RFC 9112). @throws invalid-argument */
export function encodeRequestHead({ method, path, headers, body }: PreviewRequest, port: number): Uint8Array {
  if (!token.test(method) || !/^\/[!-~]*$/.test(path)) throw nonsense('its method or its path');
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: localhost:${port}`,
    'Connection: close',
    'Accept-Encoding: identity',
  ];
  for (const [name, value] of headers) {
    if (!token.test(name) || /[^\t -~\u0080-\u00ff]/.test(value)) throw nonsense('a header');
    if (!ofConnection.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  if (body) lines.push(`Content-Length: ${body.length}`);
  const text = `${lines.join('\r\n')}\r\n\r\n`;
  if (text.length > limits.httpHeaderBytes) throw nonsense('the size of its headers');
  return toLatin1(text);
}

/** How the body of an answer ends. */
export type BodyFraming =
  | { readonly type: 'none' | 'chunked' | 'until-end' }
  | { readonly type: 'length'; readonly bytes: number };

export interface ParsedHead {
  readonly head: AnswerHead;
  readonly framing: BodyFraming;
}

/** Reads the head of an answer, without the empty line after it. @throws protocol-violation; unsupported for a redirect to another port */
export function parseAnswerHead(
  text: string,
  { request, port }: { request: PreviewRequest; port: number },
): ParsedHead {
  const [statusLine = '', ...lines] = text.split(/\r?\n/);
  const [, digits, statusText = ''] = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(statusLine) ?? [];
  const status = Number(digits);
  if (digits === undefined || status < 100 || status > 599) throw garbled('it does not begin as HTTP/1.1');
  const headers = lines.map((line) => {
    const at = line.indexOf(':');
    if (!token.test(line.slice(0, Math.max(0, at)))) throw garbled('a header has no name');
    const [name, value] = [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    return [name, name === 'location' ? locationInPreview(value, port) : value] as const;
  });
  return {
    head: { type: 'head', status, statusText, headers: headers.filter(([name]) => !ofConnection.has(name)) },
    framing: framingOf(headers, { status, method: request.method }),
  };
}

/** RFC 9112, 6.3. */
function framingOf(headers: Headers, { status, method }: { status: number; method: string }): BodyFraming {
  const find = (name: string): string | undefined => headers.find(([known]) => known === name)?.[1];
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return { type: 'none' };
  if (find('transfer-encoding')?.toLowerCase().endsWith('chunked')) return { type: 'chunked' };
  const length = find('content-length');
  if (length === undefined) return { type: 'until-end' };
  if (!/^\d{1,15}$/.test(length)) throw garbled('its length is no number');
  return { type: 'length', bytes: Number(length) };
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/** A server redirects to the name that it is asked by, which in the page is the visitor's own machine: the path stays. */
function locationInPreview(value: string, port: number): string {
  const url = /^(?:https?:)?\/\//i.test(value) ? URL.parse(value, `http://localhost:${port}`) : null;
  if (url === null || !loopback.test(url.hostname)) return value;
  const to = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (to !== port) {
    const message = `Cannot follow the server to port ${to}: this preview shows port ${port} alone`;
    throw new SandboxError('unsupported', message, { details: { feature: 'redirect', port: to } });
  }
  // What begins with two slashes names another server.
  const path = url.pathname.startsWith('//') ? `/.${url.pathname}` : url.pathname;
  return path + url.search + url.hash;
}

export function garbled(why: string): SandboxError {
  return new SandboxError('protocol-violation', `Cannot read the answer of the server: ${why}`);
}

function nonsense(what: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot send the request: ${what} cannot be sent`);
}
