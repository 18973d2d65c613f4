// `npm start`: the image (built or reused), the site, a server, a URL.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serveFolder } from './static-server.ts';

const usage = `Usage: npm start -- [--port 8086] [--image debian]

Builds or reuses the image and the site, serves them on this machine, and prints the URL.
The folder dist/site holds nothing but static files: any web server can serve it.`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8086' },
    image: { type: 'string', default: 'debian' },
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

const folder = await buildInChild(values.image);
if (folder === undefined) process.exit(1);
try {
  const server = await serveFolder(folder, { port });
  console.log(`\n  Coppice is ready at ${server.url}\n`);
} catch (error) {
  const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  console.error(isTaken ? `Port ${port} is in use; try: npm start -- --port ${port + 1}` : error);
  process.exit(1);
}

/**
 * Builds in a process of its own, whose memory (a gigabyte after building) is free when the server starts. Answers the
 * folder, or `undefined` when the build has failed and said why.
 */
function buildInChild(image: string): Promise<string | undefined> {
  const child = fork(join(import.meta.dirname, 'build-site-process.ts'), [image]);
  let folder: string | undefined;
  child.on('message', (message) => {
    folder = String(message);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0 ? folder : undefined));
  });
}
