import { askSandbox } from '../../protocol/ask-sandbox.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { RunOptions } from '../commands.ts';

/** What can be seen of a command before it runs. */
export interface CommandInspection {
  /** One of the files that it names is a program for 64-bit processors. */
  readonly is64Bit: boolean;
  /** That program is linked with libraries, which all but static ones are. */
  readonly uses64BitLibraries: boolean;
  /** The name of the program that it runs, when there is none of that name. */
  readonly missing: string | undefined;
}

/**
 * In $1 (home when it is empty): is there a command $2, if it is given; and is any of the others an executable for
 * 64-bit processors (elf(5): magic, ELFCLASS64)? Says whether the first is static; others name their linker near
 * the beginning.
 */
const lookScript = `cd -- "\${1:-$HOME}" || exit 1
[[ -z $2 ]] || type -t -- "$2" >/dev/null || echo missing
shift 2
for word; do
  [[ $word != '~/'* ]] || word=$HOME/\${word:2}
  [[ -f $word && -x $word && $(head -c 5 -- "$word" | od -An -tx1) = ' 7f 45 4c 46 02' ]] || continue
  head -c 4096 -- "$word" | grep -qa '/ld-[a-z]*-x86[-_]64\\.so' && echo linked || echo static
  break
done
exit 0`;
/** Words of a command line that are looked at. */
const mostWords = 32;
/** A word that bash would take as the name of a program as it is. */
const plainName = /^[\w.+/-]+$/;

/**
 * Looks at the files that a command names, without running it or leaving a trace in the history. What a line of bash
 * really runs only bash can tell: this looks at its words. @throws not-found (no such directory), timeout, aborted, connection-lost
 */
export async function inspectCommand(
  connection: SandboxConnection,
  {
    command,
    cwd = '',
    user,
    signal,
  }: {
    readonly command: string | readonly string[];
    readonly cwd?: string | undefined;
    readonly user?: RunOptions['user'] | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<CommandInspection> {
  const isLine = typeof command === 'string';
  const words = (isLine ? command.trim().split(/[\s;&|()]+/) : command).slice(0, mostWords);
  const [first = ''] = words;
  const name = plainName.test(first) ? first : '';
  const said = await askSandbox(connection, {
    script: lookScript,
    args: [cwd, name, ...words],
    user,
    signal,
  });
  const uses64BitLibraries = said.includes('linked\n');
  return {
    is64Bit: uses64BitLibraries || said.includes('static\n'),
    uses64BitLibraries,
    missing: said.startsWith('missing\n') ? name : undefined,
  };
}
