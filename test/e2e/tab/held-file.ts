import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeldFile extends AsyncDisposable {
  readonly url: string;
  /** Sends the rest. */
  release(): void;
}

/** A file on a server of its own, of which the first bytes come, and the rest when the test says so. */
export async function holdFile(bytes: Uint8Array, { first }: { readonly first: number }): Promise<HeldFile> {
  const released = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Content-Length': bytes.length });
    response.write(bytes.subarray(0, first));
    void released.promise.then(() => response.end(bytes.subarray(first)));
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/long.cast`,
    release: () => released.resolve(),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
