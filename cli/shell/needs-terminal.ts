import { posix } from 'node:path';

/** Programs that draw on a terminal, whatever they are told but for these arguments. */
const alwaysNeeding: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['vi', 'vim', 'nvim', 'view', 'nano', 'pico', 'joe', 'mc', 'less', 'more', 'htop', 'btop', 'tmux'].map(
      (name) => [name, ['--version', '--help']],
    ),
  ),
  top: ['-b', '--version', '-h', '--help'],
  watch: ['--version', '--help'],
  screen: ['-d', '-dm', '-ls', '-v', '--version'],
  emacs: ['--batch', '--script', '--version', '--help'],
};

/** Programs that read what is typed where they are given no arguments, and otherwise do not. */
const needingAlone: ReadonlySet<string> = new Set([
  ...['bash', 'sh', 'dash', 'zsh', 'fish', 'ksh'],
  ...['python', 'python3', 'ipython', 'node', 'deno', 'bun', 'irb', 'ghci', 'lua', 'R', 'gdb', 'bc'],
  ...['sqlite3', 'psql', 'mysql', 'redis-cli', 'ftp'],
]);

/** The program of a plain command line that is of no use without a terminal; nothing where that is not known. */
export function needsTerminal(command: string): string | undefined {
  // In a pipe, or with its input or output elsewhere, it may do without.
  if (/[|;&<>(){}`$#\n]/.test(command)) return undefined;
  const words = command.trim().split(/\s+/);
  const at = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const [first = '', ...args] = at < 0 ? [] : words.slice(at);
  const name = posix.basename(first);
  const without = Object.hasOwn(alwaysNeeding, name) ? alwaysNeeding[name] : undefined;
  const isNeeding = without
    ? !args.some((arg) => without.includes(arg))
    : needingAlone.has(name) && args.length === 0;
  return isNeeding ? name : undefined;
}
