import { type Command, Option } from 'commander';

/** How a command that starts sandboxes on this host is told in which way; elsewhere they change nothing. */
export interface HostOptions {
  readonly backend?: string;
  readonly isolation?: string;
}

/** Has `command` take them, unless it has options of these names. */
export function takesHostOptions(command: Command): Command {
  const options = [
    new Option('--backend <kind>', 'how roots are made here; or COPPICE_BACKEND').choices([
      'btrfs',
      'overlay',
      'copy',
    ]),
    new Option('--isolation <walls>', 'what jails are made of here; or COPPICE_ISOLATION').choices([
      'auto',
      'namespace',
      'landlock',
    ]),
  ];
  for (const option of options)
    if (!command.options.some(({ long }) => long === option.long)) command.addOption(option);
  return command;
}
