// `npm start`: the image (built or reused), the site, a server, a URL.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SiteMessage } from './build-site-process.ts';
import { type StaticServer, serveFolder } from './static-server.ts';

const usage = `Usage: npm start -- [--port 8086] [--image debian]… [--embedder https://app.example.com]

Builds or reuses the image and the site, serves them on this machine, and prints the URL.
The folder dist/site holds nothing but static files: any web server can serve it. dist/preview is for other origins,
those of previews. The first --image is the one of new sandboxes; WebContainer applications take "node" where it is there. --embedder is a site that runs WebContainer applications with this one; those of this machine may.`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8086' },
    image: { type: 'string', multiple: true, default: ['debian'] },
    embedder: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`--port is ${values.port}, not a port number`);
  process.exit(2);
}

const built = await serveWhileBuilding(values.image);
if (!built) process.exit(1);

/**
 * Builds in a process of its own, whose memory (a gigabyte after building) is free when all is there. Serves the page as soon
 * as it is built: it has a shell while the machine's image is made. Answers `false` when something has failed, which
 * was said.
 */
async function serveWhileBuilding(images: readonly string[]): Promise<boolean> {
  const child = fork(join(import.meta.dirname, 'build-site-process.ts'), [...images]);
  let step: string | undefined;
  let serving: Promise<StaticServer | undefined> | undefined;
  child.on('message', (message: SiteMessage) => {
    if (message.type === 'step') step = message.label;
    if (message.type === 'page') {
      serving = serve(message.folder, () => step);
      // Without a server there is nothing to build for.
      void serving.then((server) => server ?? child.kill());
    }
    if (message.type === 'done') step = undefined;
  });
  const [code] = await once(child, 'close');
  const server = await serving;
  if (code !== 0 || server === undefined) {
    await server?.[Symbol.asyncDispose]();
    return false;
  }
  console.log(`\n  Coppice is ready at ${server.url}`);
  console.log(`  Demos to watch, and to continue: ${server.url}demos/\n`);
  if (!images.includes('node'))
    console.log(
      `  WebContainer applications have no Node.js in the tab here: add --image ${images[0]} --image node\n`,
    );
  return true;
}

async function serve(folder: string, making: () => string | undefined): Promise<StaticServer | undefined> {
  try {
    const server = await serveFolder(folder, {
      port,
      making,
      previews: join(folder, '../preview'),
      embedders: values.embedder,
    });
    if (!existsSync(join(folder, 'images', 'default.json')))
      console.log(`\n  A shell is ready at ${server.url} while the machine's image is made.\n`);
    return server;
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    console.error(isTaken ? `Port ${port} is in use; try: npm start -- --port ${port + 1}` : error);
    return undefined;
  }
}
