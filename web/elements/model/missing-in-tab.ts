import type { CommandEnd } from '../../../protocol/sandbox/events.ts';

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

/**
 * The reason that a command cannot work in any tab: no packages to install, or no network. Judges by the command's
 * words alone, so it may be wrong about a command that failed for another reason; it only leads to a suggestion.
 */
export function missingInTab({ command, exitCode }: CommandEnd): string | undefined {
  if (exitCode === 0 || exitCode === 130) return undefined;
  const [program = '', ...words] = command
    .trim()
    .replace(/^sudo\s+/, '')
    .split(/\s+/);
  if (installers.has(program)) {
    return 'the image of this tab has no package manager, and a tab has no network; a host can have both';
  }
  const use = networkUses.get(program);
  const needsNetwork =
    use === undefined ? networkPrograms.has(program) : words.some((word) => use.test(word));
  return needsNetwork ? 'a tab has no network; a sandbox on a host can have one' : undefined;
}

/** Bash's exit codes for a file that cannot be executed, and for a program that there is none of. */
const exitCodes = { notExecutable: 126, notFound: 127 } as const;

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
export function missingInShell({ command, exitCode }: CommandEnd): string | undefined {
  if (exitCode === exitCodes.notExecutable)
    return 'a shell runs scripts, but no compiled programs; a machine runs both';
  if (exitCode !== exitCodes.notFound) return undefined;
  const name = simpleCommand.exec(command)?.groups?.name;
  const program = name === undefined || notMissing.has(name) ? 'a program of this command' : name;
  return `${program} is not in this shell; a machine may have it`;
}

/** Whether a command asks a git server, which the git of a shell does not: the page's panel does. */
export function asksGitServer({ command, exitCode }: CommandEnd): boolean {
  return exitCode !== 0 && /^\s*git\s+(clone|fetch|pull|push|ls-remote)\b/.test(command);
}
