// The process in which `npm start` builds: `build-site-process.ts IMAGE…`. Sends the folder to its parent.
import { SandboxError } from '../protocol/errors.ts';
import { buildSite } from './build-site.ts';

// The parent has ended, and with it the reason to build; after the answer this ends the process as well.
process.on('disconnect', () => process.exit());

try {
  const folder = await buildSite({ images: process.argv.slice(2) });
  process.send?.(folder, () => process.disconnect());
} catch (error) {
  console.error(error instanceof SandboxError ? error.message : error);
  process.exit(1);
}
