import { describeRuntime } from '../../protocol/runtime-description.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { CommandResult } from '../commands.ts';
import type { NamedPlace } from './place.ts';
import { offerOf } from './place-offer.ts';

/** Why a command that has ended may do better in another place. */
export type Trouble =
  | { readonly type: 'program'; readonly program: string }
  | { readonly type: 'format' | 'memory' | 'disk' | 'time' }
  | { readonly type: 'limit'; readonly limit: string };

/** Exit codes of shells for a file that cannot be executed, and for a program that there is none of (POSIX, 2.8.2). */
const exitCodes = { notExecutable: 126, notFound: 127 } as const;

/** The end of standard error, in which shells say why. */
const endCharacters = 4_096;
const longestName = 64;

/**
 * What bash, dash, env and xargs say of a program, or of a script's interpreter, that there is none of. Names of other characters
 * are none: this is shown to people, on terminals.
 */
const missing = [
  /^(?:.*: )?([\w.+@/-]+): (?:command )?not found$/gm,
  /: ([\w.+@/-]+): bad interpreter: No such file or directory$/gm,
  /: ((?:\/usr(?:\/local)?)?\/s?bin\/[\w.+@/-]+): No such file or directory$/gm,
  /^xargs: ([\w.+@/-]+): No such file or directory$/gm,
  /^(?:\/usr\/bin\/)?env: [‘'"]?([\w.+@/-]+)[’'"]?: No such file or directory$/gm,
];

/** What bash says on behalf of what called it, and `make` of itself: both then fail with a code of their own. */
const missingForOthers = [
  /^make(?:\[\d+\])?: ([\w.+@/-]+): No such file or directory$/gm,
  /^(?:\/\S+\/)?(?:ba)?sh: (?:line )?\d+: ([\w.+@/-]+): (?:command )?not found$/gm,
];

type Ending = Pick<CommandResult, 'exitCode' | 'reason' | 'limit' | 'stderr' | 'missing'>;

export interface FindTroubleOptions {
  /** A timeout counts: its caller says that the command may run again. */
  readonly movesOnTimeout?: boolean | undefined;
  /** A program that was missing before: that it is again counts, whatever the exit code is. */
  readonly sought?: string | undefined;
}

/** Looks at how a command ended. */
export function findTrouble(
  { exitCode, reason, limit, stderr, missing: notFound = [] }: Ending,
  { movesOnTimeout = false, sought }: FindTroubleOptions = {},
): Trouble | undefined {
  if (reason === 'out-of-memory') return { type: 'memory' };
  if (reason === 'disk-limit') return { type: 'disk' };
  if (reason === 'timeout') return movesOnTimeout ? { type: 'time' } : undefined;
  if (reason !== 'exited') return limit === undefined ? undefined : { type: 'limit', limit };
  const said = stderr.slice(-endCharacters);
  const program = notFound[0] ?? programIn(said, { exitCode, sought });
  if (program !== undefined) return { type: 'program', program: program.slice(0, longestName) };
  if (exitCode === exitCodes.notExecutable && /cannot execute|Exec format error/.test(said))
    return { type: 'format' };
  return limit === undefined ? undefined : { type: 'limit', limit };
}

/** A program that standard error says is missing, where that is what the command has failed for, or the one that is sought. */
function programIn(
  said: string,
  { exitCode, sought }: Pick<Ending, 'exitCode'> & Pick<FindTroubleOptions, 'sought'>,
): string | undefined {
  const namesIn = (line: RegExp) => [...said.matchAll(line)].map(([, name = '']) => name);
  const named = missing.flatMap(namesIn);
  const forOthers = missingForOthers.flatMap(namesIn);
  if (sought !== undefined && [...named, ...forOthers].includes(sought)) return sought;
  if (exitCode === exitCodes.notFound || exitCode === exitCodes.notExecutable) return named.at(-1);
  return exitCode === 0 ? undefined : forOthers.at(-1);
}

/** The trouble as a sentence without its full stop. What it names comes from the sandbox (H-9). */
export function describeTrouble(trouble: Trouble, { name }: NamedPlace): string {
  switch (trouble.type) {
    case 'program':
      return `${name} has no ${trouble.program}`;
    case 'format':
      return `${name} cannot execute that program`;
    case 'memory':
      return `it needs more memory than it had in ${name}`;
    case 'disk':
      return `it needs more room than it had in ${name}`;
    case 'time':
      return `it takes too long in ${name}`;
    case 'limit':
      return `it met a limit of ${name} (${trouble.limit.slice(0, longestName)})`;
  }
}

/** Whether a command that met `trouble` in a sandbox at `from` may do better at `to`. */
export function mayHelp(
  trouble: Trouble,
  { from, info, to }: { readonly from: NamedPlace; readonly info: SandboxInfo; readonly to: NamedPlace },
): boolean {
  const [here, there] = [offerOf(from), offerOf(to)];
  const processorsOf = ({ runtime }: NamedPlace) => describeRuntime(runtime)?.architectures ?? [];
  switch (trouble.type) {
    case 'program':
      return !keepsImage(info, to);
    case 'format':
      return processorsOf(to).some((processor) => !processorsOf(from).includes(processor));
    case 'memory':
      return there.memoryMiB > info.memoryMiB;
    case 'disk':
      return there.diskMiB !== undefined && there.diskMiB > info.diskMiB;
    case 'time':
      return there.slowdown <= here.slowdown;
    case 'limit':
      return to.runtime !== from.runtime;
  }
}

/** Whether a sandbox that moves to a place keeps its image, and so its programs. */
export function keepsImage(
  { image }: Pick<SandboxInfo, 'image'>,
  { runtime, image: asked }: NamedPlace,
): boolean {
  const hasImage = describeRuntime(runtime)?.image ?? false;
  return image !== '' && hasImage && (asked === undefined || asked === image);
}
