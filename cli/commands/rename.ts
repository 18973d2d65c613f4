import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { plainText } from '../output/plain-text.ts';
import { assertNamesFree } from '../place/assert-names-free.ts';
import { findSandbox } from '../place/find-sandbox.ts';

export function addRename(program: Command, cli: Cli): void {
  const command = program
    .command('rename')
    .description('give a sandbox another name')
    .argument('<sandbox>', 'its name or id')
    .argument('<name>', 'the new name')
    .action(async (which: string, name: string, options: SharedOptions) => {
      await using place = await cli.openPlace(options);
      const { backend } = place;
      const { id, name: before } = await findSandbox(backend, which);
      if (name !== before) await assertNamesFree([name], place);
      if (!backend.rename)
        throw new SandboxError('unsupported', `Cannot rename ${id}: names stay as they are there`);
      const info = await backend.rename({ id, name });
      cli.printer(options).result(info, () => `${plainText(info.name)}  ${info.id}`);
    });
  addExamples(command, [['coppice rename attempt default-2', 'its id and its history stay']]);
}
