// `npm start`: the image (built or reused), the site, a server, a URL.
import { parseArgs } from 'node:util';
import { SandboxError } from '../protocol/errors.ts';
import { buildSite } from './build-site.ts';
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

try {
  const folder = await buildSite({ images: [values.image] });
  const server = await serveFolder(folder, { port });
  console.log(`\n  Coppice is ready at ${server.url}\n`);
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  const why = error instanceof SandboxError ? error.message : error;
  console.error(code === 'EADDRINUSE' ? `Port ${port} is in use; try: npm start -- --port ${port + 1}` : why);
  process.exit(1);
}
