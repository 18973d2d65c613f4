/** A file of a patch, and how many lines of it came and went. */
export interface PatchedFile {
  readonly path: string;
  readonly change: 'A' | 'D' | 'M';
  readonly mode: string | undefined;
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

/** The files of a patch that this git has made. */
export function patchedFiles(patch: string): PatchedFile[] {
  return patch
    .split(/^(?=diff --git )/m)
    .filter((text) => text !== '')
    .map((text) => {
      const [, path = ''] = /^diff --git "?a\/.*"? "?b\/(.*?)"?$/m.exec(text) ?? [];
      const [, kind, mode] = /^(new|deleted) file mode (\d+)$/m.exec(text) ?? [];
      const body = text.slice(text.indexOf('\n@@'));
      const count = (mark: string) =>
        text.includes('\n@@') ? body.split('\n').filter((line) => line.startsWith(mark)).length : 0;
      const change = kind === 'new' ? 'A' : kind === 'deleted' ? 'D' : 'M';
      return { path, change, mode, text, added: count('+'), removed: count('-') };
    });
}

/** ` 2 files changed, 1 insertion(+)`, and which files came and went. */
export function shortStat(
  patch: string,
  { listsFiles = true }: { readonly listsFiles?: boolean } = {},
): string {
  const files = patchedFiles(patch);
  if (files.length === 0) return '';
  if (!listsFiles) return `${summary(files)}\n`;
  const made = files
    .filter(({ mode }) => mode !== undefined)
    .map(({ change, mode, path }) => ` ${change === 'A' ? 'create' : 'delete'} mode ${mode} ${path}\n`);
  return `${summary(files)}\n${made.join('')}`;
}

/** As `git diff --stat`. */
export function statText(patch: string): string {
  const files = patchedFiles(patch);
  if (files.length === 0) return '';
  const width = Math.max(...files.map(({ path }) => path.length));
  const most = Math.max(1, ...files.map(({ added, removed }) => added + removed));
  const marks = (count: number) => (most <= 40 ? count : Math.ceil((count * 40) / most));
  const lines = files.map(({ path, added, removed }) => {
    const graph = '+'.repeat(marks(added)) + '-'.repeat(marks(removed));
    return ` ${path.padEnd(width)} | ${String(added + removed).padStart(String(most).length)} ${graph}`.trimEnd();
  });
  return `${lines.join('\n')}\n${summary(files)}\n`;
}

function summary(files: readonly PatchedFile[]): string {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const some = (count: number, word: string, mark: string) =>
    count > 0 ? `, ${count} ${word}${count === 1 ? '' : 's'}(${mark})` : '';
  return ` ${files.length} file${files.length === 1 ? '' : 's'} changed${some(added, 'insertion', '+')}${some(removed, 'deletion', '-')}`;
}
