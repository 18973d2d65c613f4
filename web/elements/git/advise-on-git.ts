import type { ErrorData } from '../../../protocol/errors.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { runsInShell } from '../model/sandbox-state.ts';
import { adviseOn, type ErrorAdvice } from '../text/describe-error.ts';
import { plainLine } from '../text/describe-snapshot.ts';

/** What helps after an error of git. `hosts`: names of those whose bridges could forward; `isThrough`: one does. */
export function adviseOnGit(
  error: ErrorData,
  { hosts, isThrough }: { readonly hosts: readonly string[]; readonly isThrough: boolean },
): ErrorAdvice {
  const { remedy, needs } = error.details;
  const { lost } = adviseOn(error);
  if (needs === 'credentials')
    return { lost, advice: 'Check the user and the password or token, then try again.' };
  if (needs === 'proxy') return { lost, advice: `Check the address. ${adviseOnProxy(hosts, isThrough)}` };
  if (typeof remedy === 'string') return { lost, advice: plainLine(remedy, 300) };
  // The server refuses it, not a bridge.
  if (error.code === 'forbidden')
    return { lost, advice: 'Ask whoever owns the repository, or use a copy there that is yours.' };
  return adviseOn(error);
}

function adviseOnProxy([host]: readonly string[], isThrough: boolean): string {
  if (isThrough) return 'The bridge has to list this server (--git-host).';
  const few = 'Most git servers do not let a page read their answers';
  return host === undefined
    ? `${few}: add a host whose bridge forwards to this one.`
    : `${few}: above, reach them through ${plainLine(host, 60)}, if its bridge lists this one.`;
}

/** Which git servers a sandbox reaches, where that is not all; empty where it is. */
export function whatGitReaches(info: SandboxInfo | undefined, isThrough: boolean): string {
  if (info === undefined) return '';
  if (runsInShell({ info }))
    return isThrough
      ? 'Servers that the bridge lists, over https.'
      : 'Over https and http, servers that let pages read their answers; a host forwards to others.';
  return info.network === 'full'
    ? ''
    : 'This sandbox has no network: it reaches repositories inside it only, such as file:///srv/project.';
}

/** Who gets what is entered for a git server, in sentences. */
export function whereSignInGoes(
  origin: string,
  {
    through,
    host,
    isShell,
  }: {
    /** The bridge that forwards to the server, by name. */
    readonly through: string | undefined;
    /** The host on which the sandbox runs, by name; `undefined` for this tab. */
    readonly host: string | undefined;
    /** Whether the git is this page's own. */
    readonly isShell: boolean;
  },
): string {
  const isPlain = /^http:\/\/(?!(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$)/.test(origin);
  const warning = isPlain ? ' It goes without encryption: who is on the way can read it.' : '';
  return `${wayOf({ through, host, isShell })}${warning}`;
}

function wayOf({ through, host, isShell }: Parameters<typeof whereSignInGoes>[1]): string {
  if (host !== undefined)
    return `What you enter goes to the sandbox on ${plainLine(host, 80)}, whose git sends it to that server.`;
  if (!isShell) return 'What you enter goes to the sandbox, whose git sends it to that server.';
  return through === undefined
    ? 'What you enter goes to that server only.'
    : `What you enter goes to that server through ${plainLine(through, 80)}, which can read it.`;
}
