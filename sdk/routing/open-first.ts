import { SandboxError } from '../../protocol/errors.ts';
import type { Sandbox } from '../sandbox.ts';
import { discard, keepIfHas, openSandboxAt, type PlacedShell } from './carry-shell.ts';
import { chooseRuntime } from './choose-runtime.ts';
import type { NamedPlace } from './place.ts';
import { offerOf, placeNamed, withNeeds } from './place-offer.ts';
import type { RoutedShellOptions } from './routed-shell-options.ts';

/** Where a routed shell begins, and why. */
interface Beginning {
  readonly at: PlacedShell;
  readonly why: string;
}

/** Opens a shell where it is asked to be, or in the first place that has what it needs. @throws as `RoutedShell.open` */
export async function openFirst(
  places: readonly NamedPlace[],
  options: RoutedShellOptions,
): Promise<Beginning> {
  const { place, needs = {}, sandbox } = options;
  assertGiven(options);
  if (sandbox) return adopt(sandbox, places, options);
  if (place !== undefined)
    return { at: await openAt(withNeeds(placeNamed(places, place), needs), options), why: 'as asked' };
  const { program, ...others } = needs;
  const reasons: string[] = [];
  for (const each of places) {
    const { offer, reasons: lacks } = chooseRuntime(others, [offerOf(each)]);
    reasons.push(...lacks);
    if (!offer) continue;
    const at = await openAt(withNeeds(each, needs), options);
    if (await keepIfHas(at, program, options.signal))
      return { at, why: reasons.join('; ') || `${each.name} has all that it needs` };
    reasons.push(`${each.name} has no ${program}`);
  }
  const message = `Cannot open the shell: no place has what it needs: ${reasons.join('; ')}`;
  throw new SandboxError('unsupported', message, { details: { needs } });
}

/** @throws invalid-argument */
function assertGiven({ sandbox, shell, hooks }: RoutedShellOptions): void {
  const refuse = (why: string) => {
    throw new SandboxError('invalid-argument', `Cannot open the shell: ${why}`);
  };
  if (shell && !sandbox) refuse('a shell is in a sandbox: give that, too');
  if (shell && sandbox && !shell.isOf(sandbox.connection)) refuse('the shell is one of another sandbox');
  if (sandbox && hooks) refuse('a sandbox has the hooks that it was opened with: give them there');
}

async function adopt(
  sandbox: Sandbox,
  places: readonly NamedPlace[],
  { place: name, shell }: RoutedShellOptions,
): Promise<Beginning> {
  const { runtime } = sandbox.info;
  const place =
    name === undefined ? places.find((each) => each.runtime === runtime) : placeNamed(places, name);
  if (place?.runtime === runtime)
    return { at: { place, sandbox, shell: shell ?? (await sandbox.shell()) }, why: 'as asked' };
  const message = `Cannot begin in the sandbox "${sandbox.info.name}": none of the places has its runtime "${runtime}"`;
  throw new SandboxError('invalid-argument', message);
}

async function openAt(
  place: NamedPlace,
  { name, envs, cwd, metadata, workspace, hooks, signal }: RoutedShellOptions,
): Promise<PlacedShell> {
  const sandbox = await openSandboxAt(place, {
    name,
    ...(envs ? { envs } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    ...(metadata ? { metadata } : {}),
    ...(workspace ? { workspace } : {}),
    ...{ hooks, signal },
  });
  try {
    return { place, sandbox, shell: await sandbox.shell() };
  } catch (error) {
    await discard({ place, sandbox });
    throw error;
  }
}
