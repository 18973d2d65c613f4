import type { ShellText } from '../text.ts';

/**
 * `path` against `cwd`, absolute, without `.` and empty names; `..` is left to the tree. A slash at the end, or `/.`,
 * stays as one slash: the path is a directory's. An empty path stays empty: there is no such file.
 */
export function absolutePath(cwd: ShellText, path: ShellText): ShellText {
  if (path === '') return '';
  const whole = path.startsWith('/') ? path : `${cwd}/${path}`;
  if (!/\/\.?(\/|$)/.test(whole)) return whole;
  const names = whole.split('/').filter((name) => name !== '' && name !== '.');
  const isDirectory = names.length > 0 && /\/\.?$/.test(whole);
  return `/${names.join('/')}${isDirectory ? '/' : ''}`;
}

/** The path without the slash at its end. */
export function withoutSlash(path: ShellText): ShellText {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
