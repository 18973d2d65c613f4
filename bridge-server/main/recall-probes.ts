import type { Architecture } from '../../protocol/architecture.ts';
import { isolations } from '../../protocol/sandbox/sandbox-info.ts';
import {
  type ChosenIsolation,
  chooseIsolation,
  type IsolationChoice,
  whyChosen,
} from '../runtimes/jail/choose-isolation.ts';
import { whatProgramsLack } from '../runtimes/jail/probe-programs.ts';
import type { FolderHostParts } from '../sandboxes/folder-host.ts';
import { diskError } from '../stores/disk-error.ts';
import type { ProbeMemory } from './probe-memory.ts';

/** As `chooseIsolation`, without a try where the strongest walls that may be chosen were found to work. */
export async function recallIsolation(
  asked: IsolationChoice,
  {
    memory,
    ...options
  }: { readonly launcher: string; readonly folder: string; readonly memory: ProbeMemory },
): Promise<ChosenIsolation> {
  const strongest = asked === 'auto' ? isolations[0] : asked;
  const name = `isolation ${strongest}`;
  if (memory.has(name)) return { isolation: strongest, why: whyChosen[asked === 'auto' ? 'auto' : 'asked'] };
  const chosen = await chooseIsolation(asked, options);
  if (chosen.isolation === strongest) memory.add(name);
  return chosen;
}

/** What a host was seen to run it is not asked again; what it did not, a busy moment may have kept it from. */
export function programProbe(folder: string, memory: ProbeMemory): FolderHostParts['whatProgramsLack'] {
  const seen = new Set<Architecture>();
  return async (architecture) => {
    if (seen.has(architecture)) return undefined;
    const probe = () => whatProgramsLack(architecture, { folder });
    const lack = await memory.recall(`programs for ${architecture}`, probe).catch((cause: unknown) => {
      throw diskError(`find out whether programs for ${architecture} run`, cause);
    });
    if (lack !== undefined) return lack;
    seen.add(architecture);
    await memory.keep();
    return undefined;
  };
}
