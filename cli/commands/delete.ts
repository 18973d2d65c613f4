import { type Command, Option } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { confirm } from '../output/confirm.ts';
import { plainText } from '../output/plain-text.ts';
import { findSandbox } from '../place/find-sandbox.ts';

interface DeleteOptions extends SharedOptions {
  readonly yes?: boolean;
}

export function addDelete(program: Command, cli: Cli): void {
  const command = program
    .command('delete')
    .alias('rm')
    .description('delete sandboxes with their histories; there is no undo')
    .argument('<sandbox...>', 'their names or ids')
    .addOption(new Option('-y, --yes', 'without asking'))
    .action(async (names: readonly string[], options: DeleteOptions) => {
      await using place = await cli.openPlace(options);
      const { backend } = place;
      const found = [];
      // All are there, or none is deleted.
      for (const name of names) found.push(await findSandbox(backend, name));
      const shown = found.map(({ name, id }) => `${plainText(name)} (${id})`).join(', ');
      if (!options.yes) await confirm(`Delete ${shown} with all snapshots?`, cli.context);
      const { Sandbox } = await import('../../sdk/sandbox.ts');
      for (const { id, name } of found) {
        await Sandbox.delete(id, { backend });
        cli.printer(options).result({ id, name, deleted: true }, () => `${plainText(name)} is deleted`);
      }
    });
  addExamples(command, [
    ['coppice delete tests', 'asks first'],
    ['coppice rm tests other --yes', 'does not'],
  ]);
}
