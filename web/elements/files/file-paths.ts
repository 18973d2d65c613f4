/** The path of `name` inside `directory`. */
export function joinPath(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

/** The directory that holds `path`; the root holds itself. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** The steps from the root to `path`, each with the path it stands for. */
export function breadcrumbs(path: string): { name: string; path: string }[] {
  const names = path.split('/').filter((name) => name !== '');
  const steps = names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join('/')}` }));
  return [{ name: '/', path: '/' }, ...steps];
}

/** Why `name` cannot name a new entry, or `undefined` when it can. */
export function refuseName(name: string, taken: readonly string[]): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'Give it a name.';
  if (name.includes('/') || name.includes('\0')) return 'A name has no slash in it.';
  if (new TextEncoder().encode(name).length > 255) return 'A name has at most 255 bytes.';
  return taken.includes(name) ? `“${name}” is there already.` : undefined;
}
