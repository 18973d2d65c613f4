import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { bytesText } from '../output/amounts.ts';
import { plainText } from '../output/plain-text.ts';
import type { Place } from '../place/place.ts';

export function addGc(program: Command, cli: Cli): void {
  const command = program
    .command('gc')
    .description(
      'free the space of what no snapshot refers to, and delete images of files (init --from) that no sandbox here has',
    )
    .action(async (options: SharedOptions) => {
      await using opened = await cli.openSandbox(options);
      const { place, sandbox } = opened;
      const freedBytes = await sandbox.history.collectGarbage();
      const images = await unusedImages(place);
      const value = { freedBytes, ...(images.length > 0 ? { images } : {}) };
      const deleted = images.length > 0 ? `; deleted the image ${images.map(plainText).join(', ')}` : '';
      cli.printer(options).result(value, () => `${bytesText(freedBytes)} freed${deleted}`);
    });
  addExamples(command, [['coppice gc', 'after tags were deleted, or imports given up']]);
}

/** Only where this command holds the folder: whoever else has it could just be making a sandbox of one. */
async function unusedImages(place: Place): Promise<readonly string[]> {
  if (place.type !== 'folder') return [];
  const { dropUnusedImages } = await import('../init/import-root.ts');
  return dropUnusedImages(place);
}
