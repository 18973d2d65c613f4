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
