/**
 * Says of a path whether one of the patterns names it, or a directory that it is in. `*` and `?` stand for characters of a
 * name, `**` for any names, and what begins with `./` or `/` begins at the top.
 */
export function matchPaths(patterns: readonly string[]): (path: string) => boolean {
  const expressions = patterns.map((pattern) => new RegExp(`^${source(pattern)}(?:/.*)?$`, 'su'));
  return (path) => expressions.some((expression) => expression.test(path));
}

function source(pattern: string): string {
  const names = pattern.replace(/^\.?\/+|\/+$/g, '').split('/');
  return names
    .map((name, index) => {
      const isLast = index === names.length - 1;
      if (name === '**') return isLast ? '.*' : '(?:[^/]+/)*';
      const text = name
        .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
        .replace(/\*+/g, '[^/]*')
        .replace(/\?/g, '[^/]');
      return isLast ? text : `${text}/`;
    })
    .join('');
}
