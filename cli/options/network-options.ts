import { type Command, Option } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { CreateOptions } from '../../protocol/sandbox/backend.ts';
import { collect } from './collect.ts';

/** What a new sandbox reaches, as `--network` and `--allow` say it. */
export interface NetworkOptions {
  readonly network?: 'off' | 'public' | undefined;
  readonly allow?: readonly string[] | undefined;
}

/** `--allow`, for a command that makes a sandbox. */
export function allowOption(): Option {
  return new Option(
    '--allow <host>',
    'a network that reaches this and nothing else: a name, all below a name as *.debian.org, an address or a range, ' +
      'each with a port as pypi.org:443 or without; may be given several times',
  ).argParser(collect);
}

/** Has a command that copies a sandbox take what the copy reaches. */
export function takesNetworkOfCopy(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--network <which>',
        'of the copy: none, as without this option, or the public internet',
      ).choices(['off', 'public']),
    )
    .addOption(allowOption());
}

/** @throws invalid-argument for a list without a network */
export function networkSettings({
  network,
  allow,
}: NetworkOptions): Pick<CreateOptions, 'network' | 'allow'> {
  if (allow === undefined)
    return network === undefined ? {} : { network: network === 'off' ? 'isolated' : 'full' };
  if (network !== 'off') return { network: 'full', allow };
  const message =
    'Cannot allow what --network off leaves out: give --allow alone, for a network that reaches this only';
  throw new SandboxError('invalid-argument', message);
}
