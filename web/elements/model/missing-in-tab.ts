import type { CommandEnd } from '../../../protocol/sandbox.ts';

const installers: ReadonlySet<string> = new Set(['apt', 'apt-get', 'aptitude']);
const networkPrograms: ReadonlySet<string> = new Set([
  ...['curl', 'wget', 'ping', 'ssh', 'scp', 'sftp', 'rsync', 'nc', 'telnet', 'ftp'],
  ...['host', 'dig', 'nslookup'],
]);
/** Programs of which only some uses need a network, and the words for those. */
const networkUses: ReadonlyMap<string, RegExp> = new Map([
  ['git', /^(clone|fetch|pull|push|ls-remote)$/],
  ['pip', /^(install|download)$/],
  ['pip3', /^(install|download)$/],
  ['npm', /^(install|i|ci|update)$/],
]);

/**
 * Why a command may have failed that no tab can do: there are no packages to install and no network. By its words
 * alone, so it may be wrong about a command that failed for another reason: it is a remark, and no more.
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
