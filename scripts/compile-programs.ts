// `npm run programs`: compiles the C programs of a host anew and keeps them in guest/compiled; `--verify` only compares.
import { parseArgs } from 'node:util';
import {
  compileHostProgram,
  type HostProgramName,
  hostPrograms,
} from '../bridge-server/programs/build-host-program.ts';
import { CacheFolder, cachePath } from '../host/cache/cache-folder.ts';
import { createProgress } from '../host/progress.ts';
import { openToolchain } from '../host/toolchain/open-toolchain.ts';
import { SandboxError } from '../protocol/errors.ts';

const usage = `Usage: npm run programs -- [--verify]

Compiles the C programs that run on a host, for a machine like this one, and keeps them in guest/compiled, so that a first
start needs no compiler. A program whose sources have changed since is compiled into the cache at its first use.

  --verify  change nothing, and fail where a program differs from what its sources make`;

const { values } = parseArgs({
  options: {
    verify: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const cache = new CacheFolder(cachePath());
try {
  const toolchain = await openToolchain({ cache, progress: createProgress() });
  for (const name of Object.keys(hostPrograms) as HostProgramName[]) {
    await compileHostProgram(name, { verifies: values.verify, cache, toolchain });
    console.log(`guest/compiled: ${name} is ${values.verify ? 'what its sources make' : 'made anew'}`);
  }
} catch (error) {
  console.error(error instanceof SandboxError ? error.message : error);
  process.exit(1);
}
