import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StaticServer } from '../../../scripts/static-server.ts';

/** The least size of what is held: that of the machine's state. */
const heldBytes = 2_500_000;

export interface HeldSite extends StaticServer {
  /**
   * How images are answered from now on: the machine's state not to its end yet, none at all, as by a server that is still
   * making them, or as the site does.
   */
  images: 'held' | 'refused' | 'making' | 'served';
  /** Answers what was held. */
  release(): void;
}

/** A site on another port, whose images come when the test says so. */
export async function holdImages(site: StaticServer): Promise<HeldSite> {
  const released = Promise.withResolvers<void>();
  const server = createServer((asked, response) => {
    const isImage = asked.url?.startsWith('/images/') === true;
    if (isImage && held.images === 'making')
      return void response.writeHead(503, { 'Retry-After': '1' }).end('Unpack packages');
    if (isImage && held.images === 'refused') return void response.writeHead(404).end();
    const mayHold = isImage && held.images === 'held';
    const forwarded = request(new URL(asked.url ?? '/', site.url), { method: asked.method }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // Few, for a browser has few connections to a site.
      if (mayHold && Number(answer.headers['content-length']) > heldBytes)
        answer.once('data', (first) => holdAfter(first, { answer, response }));
      else answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    forwarded.end();
  });
  const holdAfter = (
    first: Uint8Array,
    { answer, response }: { readonly answer: IncomingMessage; readonly response: ServerResponse },
  ): void => {
    answer.pause();
    response.write(first);
    void released.promise.then(() => answer.pipe(response));
  };
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const held: HeldSite = {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    images: 'held',
    release: () => {
      held.images = 'served';
      released.resolve();
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return held;
}
