import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StaticServer } from '../../../scripts/static-server.ts';

/** What a path of a name (`machines.shop.localhost`) is; `undefined` is none. */
type Answer = (name: string, path: string) => Promise<BareFile | undefined>;
interface BareFile {
  readonly type: string;
  readonly bytes: Uint8Array | string;
}

/** A server that sends no header but a type, as the most careless operator's, or an attacker's. */
export async function serveBare(answer: Answer): Promise<StaticServer> {
  const server = createServer(async ({ url = '/', headers: { host = '' } }, response) => {
    const file = await answer(host.replace(/:.*/, ''), url.replace(/[?#].*/s, '')).catch(() => undefined);
    if (file) response.setHeader('content-type', file.type);
    response.writeHead(file ? 200 : 404).end(file?.bytes ?? 'none');
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
