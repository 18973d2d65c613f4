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
  throw refuse(source, text ?? '', isolationChoices);
}

function refuse(source: string, text: string, known: readonly string[]): SandboxError {
  return new SandboxError(
    'invalid-argument',
    `${source} is ${JSON.stringify(text.slice(0, 64))}, which is none of ${known.join(', ')}`,
  );
}
