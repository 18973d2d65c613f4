#!/usr/bin/env node
import type { Architecture } from '../protocol/architecture.ts';
import { errorTable, SandboxError } from '../protocol/errors.ts';
import { imageFormats, visitorBytes } from '../protocol/image-manifest.ts';
import { AptRoot } from './archive/apt-root.ts';
import { CacheFolder, cachePath } from './cache/cache-folder.ts';
import { type Command, parseCommandLine, usage } from './command-line.ts';
import { buildImage } from './output/build-image.ts';
import { listBuilt } from './output/list-built.ts';
import { manifestAssets } from './output/manifest-assets.ts';
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
      const size =
        manifest.format === imageFormats.machine
          ? `${megabytes(visitorBytes(manifest))} to the prompt`
          : `${megabytes(manifestAssets(manifest).reduce((sum, { storedBytes }) => sum + storedBytes, 0))}, for hosts`;
      progress.note(`${manifest.name}: tree ${manifest.tree.slice(0, 12)}, ${size}`);
      process.stdout.write(`${folder}/${manifest.name}.json\n`);
      return;
    }
    case 'update': {
      const profiles = command.profile ? [command.profile] : await listProfiles();
      const openApt = (architecture: Architecture) => AptRoot.open(cache, { architecture, progress });
      await updateLocks(profiles, { openApt, progress });
      return;
    }
    case 'list': {
      const built = new Set(await listBuilt(cache));
      const profiles = await listProfiles();
      const columns = Math.max(...profiles.map((name) => name.length)) + 2;
      for (const name of profiles) {
        const { description } = await readProfile(name);
        process.stdout.write(
          `${name.padEnd(columns)}${built.has(name) ? 'built  ' : '       '}${description}\n`,
        );
      }
      return;
    }
    case 'verify':
      for (const name of command.profile ? [command.profile] : await listBuilt(cache)) {
        await progress.step(`Verify ${name}`, (report) => verifyImage(name, { cache, report }));
      }
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

try {
  await run(parseCommandLine(process.argv.slice(2)));
} catch (error) {
  const { code, message } = SandboxError.from(error);
  process.stderr.write(`${message}\n`);
  process.exitCode = errorTable[code].exitCode;
}
