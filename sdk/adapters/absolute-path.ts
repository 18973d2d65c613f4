/** `path` as an absolute one without `.`, `..` and doubled slashes; a relative one begins at `base`. */
export function absolutePath(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${path.startsWith('/') ? '' : `${base}/`}${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
