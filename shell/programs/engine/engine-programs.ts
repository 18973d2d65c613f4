import type { Program } from '../program.ts';
import { type EngineCommand, engineProgram } from './engine-program.ts';
import type { OperandRules } from './stdin-use.ts';

const rules: Readonly<Record<EngineCommand, OperandRules>> = {
  rg: {
    withArgument: 'efgtTmABCjMrdE',
    leading: 1,
    insteadOfLeading: ['-e', '-f', '--regexp', '--file', '--files', '--type-list'],
    withoutFile: 'reads-pipe',
    unlessTerminal: ['-N'],
  },
  tree: { withArgument: 'LIPo', withoutFile: 'reads-nothing' },
  file: { withArgument: 'fmF', withoutFile: 'reads-nothing' },
  'html-to-markdown': { withArgument: 'b' },
};

/** Commands that are just-bash's, by name. */
export const enginePrograms: ReadonlyMap<string, Program> = new Map(
  Object.entries(rules).map(([name, operands]) => [name, engineProgram(name as EngineCommand, operands)]),
);
