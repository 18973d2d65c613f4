#!/usr/bin/env node
import { errorTable, SandboxError } from '../protocol/errors.ts';
import { visitorBytes } from '../protocol/image-manifest.ts';
import { AptRoot } from './archive/apt-root.ts';
import { CacheFolder, cachePath } from './cache/cache-folder.ts';
import { type Command, parseCommandLine, usage } from './command-line.ts';
import { buildImage } from './output/build-image.ts';
import { listBuilt } from './output/list-built.ts';
import { verifyImage } from './output/verify-image.ts';
import { listProfiles, readProfile } from './profiles/profile.ts';
import { updateLocks } from './profiles/update-locks.ts';
import { createProgress } from './progress.ts';

const cache = new CacheFolder(cachePath());
const progress = createProgress();

async function run(command: Command): Promise<void> {
  switch (command.type) {
    case 'help':
      process.stdout.write(usage);
      return;
    case 'build': {
      const { manifest, folder } = await buildImage(command.profile, {
        cache,
        progress,
        golden: command.golden,
      });
      const visitorMb = (visitorBytes(manifest) / 1_000_000).toFixed(1);
      progress.note(`${manifest.name}: tree ${manifest.tree.slice(0, 12)}, ${visitorMb} MB to the prompt`);
      process.stdout.write(`${folder}/${manifest.name}.json\n`);
      return;
    }
    case 'update': {
      const apt = await AptRoot.open(cache, { architecture: 'i386', progress });
      await updateLocks(command.profile ? [command.profile] : await listProfiles(), { apt, progress });
      return;
    }
    case 'list': {
      const built = new Set(await listBuilt(cache));
      for (const name of await listProfiles()) {
        const { description } = await readProfile(name);
        process.stdout.write(`${name.padEnd(10)}${built.has(name) ? 'built  ' : '       '}${description}\n`);
      }
      return;
    }
    case 'verify':
      for (const name of command.profile ? [command.profile] : await listBuilt(cache)) {
        await progress.step(`Verify ${name}`, (report) => verifyImage(name, { cache, report }));
      }
  }
}

try {
  await run(parseCommandLine(process.argv.slice(2)));
} catch (error) {
  const { code, message } = SandboxError.from(error);
  process.stderr.write(`${message}\n`);
  process.exitCode = errorTable[code].exitCode;
}
