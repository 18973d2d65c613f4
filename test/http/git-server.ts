import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The name in its certificate; only a resolver of a test knows it. */
export const gitName = 'git.test';
/** Who may use what is below `/private`. */
export const gitUser = { name: 'ada', password: 'lovelace' };

export interface GitServer extends AsyncDisposable {
  /** As a bridge lists it. */
  readonly host: string;
  readonly port: number;
  /** Of a repository in it. */
  url(path: string): string;
  /** PEM of its own certificate. */
  readonly ca: string;
  /** Where its repositories are. */
  readonly folder: string;
  /** Every request, oldest first. */
  readonly requests: IncomingMessage[];
  /** Answers instead of git, when it says so. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** Why there can be no such server here; `undefined` when there can. */
export async function whatGitLacks(): Promise<string | undefined> {
  for (const [program, ...words] of [
    ['git', 'http-backend', '--help'],
    ['openssl', 'version'],
  ] as const) {
    const isThere = await run(program, words[0] === 'http-backend' ? ['--version'] : words).catch(
      () => undefined,
    );
    if (!isThere) return `no ${program}`;
  }
  return undefined;
}

/** git's own server on the loopback, over TLS unless it is plain. */
export async function openGitServer({ isPlain = false } = {}): Promise<GitServer> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-git-'));
  const { key, cert } = isPlain ? { key: '', cert: '' } : await makeCertificate(folder);
  const requests: IncomingMessage[] = [];
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(request);
    if (there.answer(request, response)) return;
    if (request.url?.startsWith('/private/') && !isSignedIn(request)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('Sign in');
    } else void answerAsGit(request, { response, folder });
  };
  const server = isPlain ? createPlainServer(onRequest) : createServer({ key, cert }, onRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const there: GitServer = {
    host: isPlain ? `127.0.0.1:${port}` : `${gitName}:${port}`,
    url: (path) => `${isPlain ? 'http' : 'https'}://${there.host}${path}`,
    port,
    ca: cert,
    folder,
    requests,
    answer: () => false,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await rm(folder, { recursive: true });
    },
  };
  return there;
}

async function makeCertificate(folder: string): Promise<{ key: string; cert: string }> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', `/CN=${gitName}`, '-addext', `subjectAltName=DNS:${gitName}`];
  await run('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert]);
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
}

function isSignedIn({ headers }: IncomingMessage): boolean {
  const credentials = Buffer.from(`${gitUser.name}:${gitUser.password}`).toString('base64');
  return headers.authorization === `Basic ${credentials}`;
}

/** By CGI (RFC 3875), as git-http-backend(1) says. */
async function answerAsGit(
  request: IncomingMessage,
  { response, folder }: { response: ServerResponse; folder: string },
): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '', 'https://git.test');
  const { headers } = request;
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? '',
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      ...(isSignedIn(request) ? { REMOTE_USER: gitUser.name } : {}),
    },
  });
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  const parts: Buffer[] = [];
  for await (const part of child.stdout) parts.push(part);
  const output = Buffer.concat(parts);
  const end = output.indexOf('\r\n\r\n');
  for (const line of output.toString('latin1', 0, end).split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/);
    if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
    else response.setHeader(name, value);
  }
  response.end(output.subarray(end + 4));
}
