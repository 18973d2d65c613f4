import type { NetworkChoice } from '../../bridge-server/main/open-host.ts';
import { AddressPolicy } from '../../bridge-server/network/address-policy.ts';
import { isRootKind, type RootKind, rootKinds } from '../../bridge-server/roots/open-root-maker.ts';
import {
  type IsolationChoice,
  isolationChoices,
} from '../../bridge-server/runtimes/jail/choose-isolation.ts';
import { SandboxError } from '../../protocol/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A value, and the flag or the variable that it was given by. */
type Given = readonly [source: string, text: string | undefined];

/** How roots are made: what the first of them says that says anything. @throws invalid-argument, also for a variable that a flag overrides */
export function askedRootKind(
  flag: Given,
  { COPPICE_BACKEND, COPPICE_SNAPSHOTS }: Environment,
): RootKind | undefined {
  const all: readonly Given[] = [
    flag,
    ['COPPICE_BACKEND', COPPICE_BACKEND || undefined],
    ['COPPICE_SNAPSHOTS', COPPICE_SNAPSHOTS || undefined],
  ];
  const kinds = all.map(([source, text]) => {
    if (text === undefined || isRootKind(text)) return text;
    throw refuse(source, text, rootKinds);
  });
  return kinds.find((kind) => kind !== undefined);
}

/** What jails are made of; `auto` where nothing says it. @throws invalid-argument */
export function askedIsolation(flag: Given, { COPPICE_ISOLATION }: Environment): IsolationChoice {
  const [source, text] = flag[1] === undefined ? ['COPPICE_ISOLATION', COPPICE_ISOLATION || 'auto'] : flag;
  const choice = isolationChoices.find((one) => one === text);
  if (choice) return choice;
  const refused = refuse(source, text ?? '', isolationChoices);
  if (text !== 'none') throw refused;
  throw new SandboxError(
    'invalid-argument',
    `${refused.message}: without walls only coppice run --isolation none runs something, for its caller alone`,
  );
}

/**
 * Which addresses sandboxes with a network may reach: `--network` and `--network-allow`, or the variables of the same
 * names; the public ones where nothing says it. @throws invalid-argument
 */
export function askedNetwork(
  flags: { readonly choice?: string | undefined; readonly allow?: readonly string[] | undefined },
  { COPPICE_NETWORK, COPPICE_NETWORK_ALLOW = '' }: Environment,
): NetworkChoice {
  const [source, choice] =
    flags.choice === undefined
      ? ['COPPICE_NETWORK', COPPICE_NETWORK || 'public']
      : ['--network', flags.choice];
  if (choice !== 'public' && choice !== 'off') throw refuse(source, choice, ['public', 'off']);
  const given = flags.allow;
  const ranges = given ?? COPPICE_NETWORK_ALLOW.split(',').map((range) => range.trim());
  const allow = ranges.filter((range) => given || range !== '');
  try {
    new AddressPolicy(allow);
  } catch (cause) {
    const name = given ? '--network-allow' : 'COPPICE_NETWORK_ALLOW';
    throw new SandboxError('invalid-argument', `${name}: ${SandboxError.from(cause).message}`, { cause });
  }
  if (choice === 'public') return { allow };
  if (!given) return 'off';
  throw new SandboxError('invalid-argument', `--network-allow opens nothing where ${source} is off`);
}

/** `off`, `public`, or `public and 10.1.2.0/24`: the same for the same addresses. */
export function networkText(choice: NetworkChoice): string {
  if (choice === 'off') return choice;
  return ['public', ...new Set([...(choice.allow ?? [])].sort())].join(' and ');
}

function refuse(source: string, text: string, known: readonly string[]): SandboxError {
  return new SandboxError(
    'invalid-argument',
    `${source} is ${JSON.stringify(text.slice(0, 64))}, which is none of ${known.join(', ')}`,
  );
}
