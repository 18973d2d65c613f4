import { chosenRuntimes, describeRuntime } from '../../protocol/runtime-description.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { chooseRuntime, type RuntimeNeeds, type RuntimeOffer } from './choose-runtime.ts';
import type { CommandInspection } from './inspect-command.ts';
import { usualPatienceMs } from './place-offer.ts';

/** Where a command is to run: where the router sends it, on the host, or where the sandbox is. */
export type RunTarget = 'auto' | 'host' | 'here';

/** Where a command runs, and why in words. */
export interface TaskRoute {
  readonly ranOn: 'host' | 'here';
  readonly why: string;
}

/**
 * Decides between the place of a sandbox and a host, of which its copy has the same image: where nobody has all that
 * a task needs, it stays.
 */
export function routeTask(
  { needs, look }: { readonly needs: RuntimeNeeds; readonly look: CommandInspection },
  places: { readonly here: SandboxInfo; readonly host: string; readonly patienceMs?: number | undefined },
): TaskRoute {
  const { here, host, patienceMs = usualPatienceMs } = places;
  const {
    place: name = 'this place',
    architectures = [],
    slowdown = 1,
  } = describeRuntime(here.runtime) ?? {};
  const there = describeRuntime(chosenRuntimes('host')[0]);
  const common = {
    has64BitLibraries: here.architecture === 'amd64',
    network: here.network === 'full',
    hasProgram: (name: string) => name !== look.missing,
    patienceMs,
  };
  const offers: RuntimeOffer[] = [
    { ...common, name, memoryMiB: here.memoryMiB, is64Bit: architectures.includes('amd64'), slowdown },
    {
      ...common,
      network: false,
      name: host,
      memoryMiB: there?.most.memoryMiB ?? 0,
      is64Bit: there?.architectures.includes('amd64') ?? false,
      slowdown: there?.slowdown ?? 1,
    },
  ];
  const { is64Bit, uses64BitLibraries, missing: program } = look;
  const found = { is64Bit, uses64BitLibraries, ...(program === undefined ? {} : { program }) };
  const { offer, reasons } = chooseRuntime({ ...found, ...needs }, offers);
  if (offer === offers[0]) return { ranOn: 'here', why: `${name} has all that it needs` };
  const why = reasons.join('; ');
  if (offer) return { ranOn: 'host', why };
  return { ranOn: 'here', why: `${why}: it has to do with what there is here` };
}
