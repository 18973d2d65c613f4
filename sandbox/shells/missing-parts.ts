import type { LostShellPart } from '../../protocol/sandbox/shells.ts';
import type { ByteString } from '../../tree/content/byte-string.ts';
import type { ShellReport } from './shell-report.ts';

/** How `declare -p`, `declare -f` and `alias -p` begin what they print of a name. */
const beginnings = {
  variables: /^declare -\S+ (\w+)/gm,
  functions: /^(\S+) \(\) ?$/gm,
  aliases: /^alias (?:-- )?([^\s=]+)=/gm,
} as const;

const option = /^(?:builtin )?(?:set [-+]o|shopt -[su]) (\S+)$/gm;

/**
 * What a bash lacks that has run the script of a state: another bash may not read all of it, and leaves out what follows. `envs` are
 * names of variables that the script does not set, as a sandbox gave them to its processes. Only names are compared, and
 * options that this bash has too.
 */
export function missingParts(
  script: ByteString,
  { report, envs }: { readonly report: ShellReport; readonly envs: readonly string[] },
): LostShellPart[] {
  const { variables = '', functions = '', aliases = '', options, settings } = report;
  const reported = [variables, functions, aliases].join('\n');
  const isMissing = (part: keyof typeof beginnings) => {
    const there = namesIn(reported, beginnings[part]);
    const wanted = [...namesIn(script, beginnings[part]), ...(part === 'variables' ? envs : [])];
    return !wanted.every((name) => there.has(name));
  };
  const missing: LostShellPart[] = (['variables', 'functions', 'aliases'] as const).filter(isMissing);
  const are = optionsIn(`${options}\n${settings}`);
  const hasOther = ([name, line]: [string, string]) => (are.get(name) ?? line) !== line;
  return [...optionsIn(script)].some(hasOther) ? [...missing, 'options'] : missing;
}

function namesIn(text: ByteString, beginning: RegExp): ReadonlySet<string> {
  return new Set([...text.matchAll(beginning)].map(([, name = '']) => name));
}

/** The last line of each option, which counts. */
function optionsIn(text: ByteString): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(option)].map(([line, name = '']) => [name, line.replace('builtin ', '')]));
}
