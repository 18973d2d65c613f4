#!/usr/bin/env node
import { CacheFolder, cachePath } from '../host/cache/cache-folder.ts';
import { AptRoot } from '../host/debian/apt-root.ts';
import type { BuiltImage } from '../host/images/built-image.ts';
import { manifestAssets } from '../host/images/manifest-assets.ts';
import { createProgress } from '../host/progress.ts';
import { type Architecture, tabArchitecture } from '../protocol/architecture.ts';
import { errorTable, SandboxError } from '../protocol/errors.ts';
import { imageFormats, visitorBytes } from '../protocol/image-manifest.ts';
import { buildImage } from './build-image.ts';
import { type Command, parseCommandLine, usage } from './command-line.ts';
import { importImage } from './import/import-image.ts';
import { compileMachine } from './machine/compile-machine.ts';
import { listBuilt } from './output/list-built.ts';
import { verifyImage } from './output/verify-image.ts';
import { listProfiles, readProfile } from './profiles/profile.ts';
import { updateLocks } from './update-locks.ts';

const cache = new CacheFolder(cachePath());
const progress = createProgress();

async function run(command: Command): Promise<void> {
  switch (command.type) {
    case 'help':
      process.stdout.write(usage);
      return;
    case 'build': {
      tell(await buildImage(command.profile, { cache, progress, golden: command.golden }));
      return;
    }
    case 'import': {
      const { type: _, ...request } = command;
      tell(await importImage(request, { cache, progress }));
      return;
    }
    case 'kernel': {
      const { verifies } = command;
      const apt = () => AptRoot.open(cache, { architecture: tabArchitecture, progress });
      await compileMachine({ verifies }, { cache, progress, apt });
      progress.note(
        `guest/compiled: kernel and init are ${verifies ? 'what their sources make' : 'made anew'}`,
      );
      return;
    }
    case 'update': {
      const profiles = command.profile ? [command.profile] : await listProfiles();
      const openApt = (architecture: Architecture) => AptRoot.open(cache, { architecture, progress });
      await updateLocks(profiles, { openApt, progress });
      return;
    }
    case 'list': {
      const built = await listBuilt(cache);
      const profiles = await listProfiles();
      const imported = built.filter((name) => !profiles.includes(name));
      const columns = Math.max(...[...profiles, ...imported].map((name) => name.length)) + 2;
      const line = (name: string, state: string, text: string) =>
        void process.stdout.write(`${name.padEnd(columns)}${state.padEnd(10)}${text}\n`);
      for (const name of profiles)
        line(name, built.includes(name) ? 'built' : '', (await readProfile(name)).description);
      for (const name of imported) line(name, 'imported', 'For hosts');
      return;
    }
    case 'verify':
      for (const name of command.profile ? [command.profile] : await listBuilt(cache)) {
        await progress.step(`Verify ${name}`, (report) => verifyImage(name, { cache, report }));
      }
  }
}

/** Says what was made, and prints where its manifest is. */
function tell({ manifest, folder }: BuiltImage): void {
  const size =
    manifest.format === imageFormats.machine
      ? `${megabytes(visitorBytes(manifest))} to the prompt`
      : `${megabytes(manifestAssets(manifest).reduce((sum, { storedBytes }) => sum + storedBytes, 0))}, for hosts`;
  progress.note(`${manifest.name}: tree ${manifest.tree.slice(0, 12)}, ${size}`);
  process.stdout.write(`${folder}/${manifest.name}.json\n`);
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
