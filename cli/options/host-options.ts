import { type Command, Option } from 'commander';
import { collect } from './collect.ts';

/** How a command that starts sandboxes on this host is told in which way. Where another process holds the folder they are refused. */
export interface HostOptions {
  readonly backend?: string;
  readonly isolation?: string;
  readonly networkAllow?: readonly string[];
}

/** Has `command` take them, unless it has options of these names. */
export function takesHostOptions(command: Command): Command {
  const options = [
    new Option(
      '--backend <kind>',
      'how roots are made, where no other process holds the folder; or COPPICE_BACKEND',
    ).choices(['btrfs', 'overlay', 'copy']),
    new Option(
      '--isolation <walls>',
      'what jails are made of, where no other process holds the folder; or COPPICE_ISOLATION',
    ).choices(['auto', 'namespace', 'landlock']),
    new Option(
      '--network-allow <range>',
      'addresses that sandboxes with a network reach beside public ones, such as 10.1.2.0/24; ' +
        'may be given several times; or COPPICE_NETWORK_ALLOW, with commas; refused where a daemon that serves the folder has others',
    ).argParser(collect),
  ];
  for (const option of options)
    if (!command.options.some(({ long }) => long === option.long)) command.addOption(option);
  return command;
}
