import { SandboxError } from '../../protocol/errors.ts';
import type { CliContext } from '../context.ts';
import { bridgeUrl } from '../place/bridge-url.ts';
import type { RunCommandOptions } from './run-options.ts';

/** What a command without walls may do, for the person who asks for one. */
export const unconfinedNote: string =
  'Without isolation: the command may read and change all files and processes of this user, only its working folder is in the history, ' +
  'and its memory, processes, disk and network are not bounded';

const noBounds = 'nothing on this host bounds what the command uses';
const noChoice = 'the command has the programs of this host';
/** Options that mean a sandbox, and why they mean nothing here. */
const refused = {
  memory: noBounds,
  cpus: noBounds,
  pids: noBounds,
  disk: noBounds,
  network: 'the command has the network of this host',
  allow: 'the command has the network of this host',
  image: noChoice,
  runtime: noChoice,
  user: 'the command runs as the user who calls it',
  keep: 'its working folder is deleted afterwards',
  tty: 'the command gets no terminal',
} as const satisfies { readonly [name in keyof RunCommandOptions]?: string };

/**
 * Refuses what cannot be had together with `--isolation none`. `isGiven` tells which options are on the command line.
 * @throws invalid-argument; unsupported for a bridge
 */
export function assertUnconfined(
  options: RunCommandOptions,
  { context, isGiven }: { readonly context: CliContext; readonly isGiven: (name: string) => boolean },
): void {
  if (bridgeUrl(options, context) !== undefined) {
    const message =
      'Cannot run on a bridge with --isolation none: a bridge serves others beside you, and none of their commands runs without walls. ' +
      'Leave --isolation out, or --bridge (COPPICE_BRIDGE) for a command on this host';
    throw new SandboxError('unsupported', message, { details: { feature: 'isolation' } });
  }
  if (isGiven('sandbox')) {
    throw new SandboxError(
      'invalid-argument',
      `Cannot use --isolation none in the sandbox ${options.sandbox}: leave out one of both`,
    );
  }
  for (const [name, why] of Object.entries(refused)) {
    if (!isGiven(name)) continue;
    const message = `Cannot use --${name} with --isolation none: ${why}. Leave it out, or --isolation none for a sandbox that has it`;
    throw new SandboxError('invalid-argument', message);
  }
}
