import type { ShellText } from '../../text.ts';

/** The way from a directory to a path; both absolute and without links. */
export function relativePath(directory: ShellText, path: ShellText): ShellText {
  const from = directory.split('/').filter((name) => name !== '');
  const to = path.split('/').filter((name) => name !== '');
  let same = 0;
  while (same < from.length && same < to.length && from[same] === to[same]) same += 1;
  const way = [...from.slice(same).map(() => '..'), ...to.slice(same)];
  return way.join('/') || '.';
}
