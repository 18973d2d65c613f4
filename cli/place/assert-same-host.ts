import { SandboxError } from '../../protocol/errors.ts';
import type { CliContext } from '../context.ts';
import { askedNetwork, networkText } from './host-choices.ts';
import type { PlaceOptions } from './place.ts';

/**
 * Refuses options that mean the process which opens a folder, for a command that reaches its sandboxes through another one:
 * they would change nothing. `holder` is that process, as `the bridge`. @throws invalid-argument
 */
export function assertNoHostOptions({ backend, isolation }: PlaceOptions, holder: string): void {
  const given = [
    ...(backend === undefined ? [] : ['--backend']),
    ...(isolation === undefined ? [] : ['--isolation']),
  ];
  if (given.length > 0) throw refuse(given.join(' and '), holder);
}

/**
 * Refuses a network that is asked for here, by an option or a variable, where the one that serves the folder gives another:
 * `served` is its `networkText`, `undefined` where it does not say. @throws invalid-argument
 */
export function assertSameNetwork(
  { networkAllow }: PlaceOptions,
  { environment }: Pick<CliContext, 'environment'>,
  { served, holder }: { readonly served: string | undefined; readonly holder: string },
): void {
  const given = [
    ...(networkAllow === undefined ? [] : ['--network-allow']),
    ...['COPPICE_NETWORK', 'COPPICE_NETWORK_ALLOW'].filter((name) => environment[name]),
  ];
  if (given.length === 0) return;
  const asked = networkText(askedNetwork({ allow: networkAllow }, environment));
  if (asked === served) return;
  const other = served === undefined ? 'does not say which network it gives' : `gives ${served}`;
  throw refuse(given.join(' and '), holder, `: ${asked} is asked for, and it ${other}`);
}

function refuse(given: string, holder: string, why = ''): SandboxError {
  return new SandboxError(
    'invalid-argument',
    `${given} cannot be followed by ${holder}, which holds the sandboxes${why}. Say it when that is started, or leave it out here`,
  );
}
