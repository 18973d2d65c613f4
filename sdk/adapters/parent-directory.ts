/** The directory that an absolute path is in. */
export function parentDirectory(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
