import type { Command } from 'commander';
import { examplesOf } from '../examples.ts';
import { exitCodes } from '../exit-codes.ts';

/** Environment variables, in the order in which the manual has them. */
export const variables: readonly (readonly [name: string, does: string])[] = [
  ['COPPICE_ROOT', 'the folder where sandboxes are kept, as --root'],
  ['COPPICE_BRIDGE', 'a bridge whose sandboxes are used instead, as --bridge'],
  ['COPPICE_TOKEN', 'a token of that bridge, as in the file of --token-file'],
  ['COPPICE_SANDBOX', 'the sandbox that commands are about, as --sandbox'],
  ['COPPICE_BACKEND', 'how roots are made: copy, overlay or btrfs; by default the best that works'],
  [
    'COPPICE_ISOLATION',
    'what keeps sandboxes from this host: namespace or landlock; by default the strongest',
  ],
  ['COPPICE_NETWORK', 'off leaves no sandbox a network, as --network of coppice bridge; public by default'],
  [
    'COPPICE_NETWORK_ALLOW',
    'addresses that sandboxes with a network reach beside public ones, as --network-allow; with commas',
  ],
  ['COPPICE_CACHE', 'where images and programs are kept once they are made'],
  ['COPPICE_DEBUG', 'where it is set, errors tell where in the program they come from'],
  ['NO_COLOR', 'where it is set, nothing is coloured'],
];

/** The manual of the command line for man(1), in the macros of man(7). */
export function manualPage(program: Command): string {
  const help = program.createHelp();
  const lines = [
    `.TH COPPICE 1 "" "coppice ${program.version() ?? ''}"`,
    '.SH NAME',
    `coppice \\- ${text(program.description())}`,
    '.SH SYNOPSIS',
    '.B coppice',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...help.visibleCommands(program).flatMap((command) => commandLines(command)),
    '.SH ENVIRONMENT',
    ...variables.flatMap(([name, does]) => ['.TP', `.B ${text(name)}`, text(does)]),
    '.SH EXIT STATUS',
    ...exitCodes().flatMap(({ code, means }) => ['.TP', `.B ${code}`, text(means.replaceAll('`', ''))]),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines(command: Command, above = 'coppice'): string[] {
  const help = command.createHelp();
  const name = `${above} ${command.name()}`;
  const below = help.visibleCommands(command);
  if (below.length > 0) return below.flatMap((each) => commandLines(each, name));
  const options = help.visibleOptions(command);
  return [
    `.SS ${text(`${name} ${command.usage()}`)}`,
    text(command.description()),
    ...options.flatMap((option) => ['.TP', `.B ${text(option.flags)}`, text(help.optionDescription(option))]),
    ...examplesOf(command).flatMap(([line, does]) => [
      '.PP',
      `${text(does)}:`,
      '.RS',
      '.nf',
      text(line),
      '.fi',
      '.RE',
    ]),
  ];
}

/** Dashes that can be copied, no escapes and no requests of roff(7). */
function text(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
