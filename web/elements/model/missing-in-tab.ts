import type { CommandEnd } from '../../../protocol/sandbox/events.ts';

/** Bash's exit codes for a file that cannot be executed, and for a program that there is none of. */
const exitCodes = { notExecutable: 126, notFound: 127 } as const;

const installers: ReadonlySet<string> = new Set(['apt', 'apt-get', 'aptitude']);
const networkPrograms: ReadonlySet<string> = new Set([
  ...['curl', 'wget', 'ping', 'ssh', 'scp', 'sftp', 'rsync', 'nc', 'telnet', 'ftp'],
  ...['host', 'dig', 'nslookup'],
]);
/** Programs that need a network only with certain arguments, and those arguments. */
const networkUses: ReadonlyMap<string, RegExp> = new Map([
  ['git', /^(clone|fetch|pull|push|ls-remote)$/],
  ['pip', /^(install|download)$/],
  ['pip3', /^(install|download)$/],
  ['npm', /^(install|i|ci|update)$/],
]);

/** Programs that no image of a tab has, and what is there instead. */
const instead: ReadonlyMap<string, string> = new Map([
  ...['gcc', 'g++', 'clang'].map((name) => [name, 'it has tcc, a C compiler'] as const),
  ...['vim', 'emacs'].map((name) => [name, 'it has nano and vi'] as const),
  ['man', 'most programs say what they do with --help'],
  ...['node', 'npm', 'npx'].map((name) => [name, 'a site can have an image with Node.js, “node”'] as const),
  ['wget', 'it has curl, and no network but its own'],
  ['ping', 'it has no network but its own'],
]);
/** Those of them that the 64-bit image of a host has. */
const onlyOnHosts: ReadonlySet<string> = new Set(['gcc', 'g++', 'node', 'npm', 'npx']);

/** Why a command cannot run where it was tried, and where it can. */
export interface Lack {
  readonly reason: string;
  /** Whether a machine of this tab may run it. */
  readonly inMachine: boolean;
  /** Which sandbox of a host may: one of the same image, one of a 64-bit image only, or none. */
  readonly onHost: 'same' | 'other' | 'none';
}

/**
 * What a command lacks in this tab, in a shell or in a machine; `undefined` for one that failed for another reason. Judges
 * by its words and how it ended alone, so it may be wrong; it only leads to a suggestion.
 */
export function lackOf(end: CommandEnd, isShell: boolean): Lack | undefined {
  return missingInTab(end, isShell) ?? (isShell ? missingInShell(end) : undefined);
}

/** What cannot work in any tab: no such program, no packages to install, or no network. */
function missingInTab({ command, exitCode }: CommandEnd, isShell: boolean): Lack | undefined {
  if (exitCode === 0 || exitCode === 130) return undefined;
  const [program = '', ...words] = command
    .trim()
    .replace(/^sudo\s+/, '')
    .split(/\s+/);
  if (installers.has(program)) {
    const reason =
      'no image of a tab has a package manager, and a tab has no network; the image debian-amd64 of a host can have both';
    return { reason, inMachine: false, onHost: 'other' };
  }
  const other = exitCode === exitCodes.notFound ? instead.get(program) : undefined;
  if (other !== undefined) {
    const where = isShell ? 'this shell, nor in a machine of this tab' : 'this machine';
    const onHost = onlyOnHosts.has(program) ? 'other' : 'none';
    return { reason: `${program} is not in ${where}; ${other}`, inMachine: false, onHost };
  }
  const use = networkUses.get(program);
  const needsNetwork =
    use === undefined ? networkPrograms.has(program) : words.some((word) => use.test(word));
  if (!needsNetwork) return undefined;
  const reason = 'a tab has no network; a sandbox on a host can have one';
  return { reason, inMachine: false, onHost: 'same' };
}

/** A command line with one command in it, whose first word is `name`. */
const simpleCommand = /^\s*(?:\w+=[^\s'"$`\\]*\s+)*(?<name>[\w.+-]{1,40})(?:\s[^;&|()`\n]*)?$/;
/** Words after which bash looks for no program, or which run another one that may be missing. */
const notMissing: ReadonlySet<string> = new Set([
  ...['if', 'for', 'while', 'until', 'case', 'select', 'function', 'time', 'coproc', '.', 'source', 'eval'],
  ...['cd', 'echo', 'printf', 'test', 'read', 'set', 'export', 'declare', 'local', 'alias', 'exit', 'return'],
  ...['true', 'false', 'wait', 'trap', 'type', 'hash', 'pwd', 'builtin', 'command', 'exec', 'let', 'unset'],
  ...['env', 'xargs', 'nice', 'nohup', 'timeout', 'sudo', 'sh', 'bash', 'find', 'which'],
]);

/** What a shell without a machine lacks for a command, by how that ended; the program where the line can mean only one. */
function missingInShell({ command, exitCode }: CommandEnd): Lack | undefined {
  const where = { inMachine: true, onHost: 'same' } as const;
  if (exitCode === exitCodes.notExecutable)
    return { reason: 'a shell runs scripts, but no compiled programs; a machine runs both', ...where };
  if (exitCode !== exitCodes.notFound) return undefined;
  const name = simpleCommand.exec(command)?.groups?.name;
  const program = name === undefined || notMissing.has(name) ? 'a program of this command' : name;
  return { reason: `${program} is not in this shell; a machine may have it`, ...where };
}

/** Whether a command asks a git server, which the git of a shell does not: the page's panel does. */
export function asksGitServer({ command, exitCode }: CommandEnd): boolean {
  return exitCode !== 0 && /^\s*git\s+(clone|fetch|pull|push|ls-remote)\b/.test(command);
}
