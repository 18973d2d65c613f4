import type { ShellText } from '../../text.ts';

/** A name in a directory, as messages have it. */
export function joinPath(directory: ShellText, name: ShellText): ShellText {
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`;
}

/** The last name of a path, without slashes at its end; `/` of the root. */
export function baseName(path: ShellText): ShellText {
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return path === '' ? '' : '/';
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

/** What is before the last name: `.` where there is nothing. */
export function directoryName(path: ShellText): ShellText {
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return path === '' ? '.' : '/';
  const slash = trimmed.lastIndexOf('/');
  if (slash < 0) return '.';
  return trimmed.slice(0, slash).replace(/\/+$/, '') || '/';
}
