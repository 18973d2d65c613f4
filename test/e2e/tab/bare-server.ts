import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StaticServer } from '../../../scripts/static-server.ts';

/** What a path of a name (`machines.shop.localhost`) is; `undefined` is none. */
type Answer = (name: string, path: string) => Promise<BareFile | undefined>;
interface BareFile {
  readonly type: string;
  readonly bytes: Uint8Array | string;
}

/** A server that sends no header but a type, and parts of files, as the most careless operator's, or an attacker's. */
export async function serveBare(answer: Answer): Promise<StaticServer> {
  const server = createServer(async ({ url = '/', headers: { host = '', range = '' } }, response) => {
    const file = await answer(host.replace(/:.*/, ''), url.replace(/[?#].*/s, '')).catch(() => undefined);
    if (file) response.setHeader('content-type', file.type);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    if (!file || from === undefined)
      return void response.writeHead(file ? 200 : 404).end(file?.bytes ?? 'none');
    const bytes = Buffer.from(file.bytes);
    const isPast = Number(from) >= bytes.length;
    response.writeHead(isPast ? 416 : 206).end(bytes.subarray(Number(from), Number(to) + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
