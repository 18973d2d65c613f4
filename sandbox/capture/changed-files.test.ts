import { expect, test } from 'vitest';
import { fileMode } from '../../tree/live/file-mode.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { changedFiles, changeSummary, describePath } from './changed-files.ts';

test('R-3 a summary counts files and not the directories that came with them', () => {
  const tree = new LiveTree();
  const owner = { uid: 0, gid: 0 };
  const old = tree.create(tree.root, 'old', { mode: fileMode.directory | 0o755, ...owner });
  tree.create(old, 'file', { mode: fileMode.file | 0o644, ...owner });
  const mark = tree.snapshot();
  const made = tree.create(tree.root, 'made', { mode: fileMode.directory | 0o755, ...owner });
  tree.create(made, 'file', { mode: fileMode.file | 0o644, ...owner });
  tree.unlink(old, 'file');
  tree.rmdir(tree.root, 'old');
  expect(changeSummary(tree, mark)).toEqual({
    created: 1,
    modified: 0,
    deleted: 1,
    paths: ['/made', '/made/file', '/old', '/old/file'],
  });
  expect(changedFiles(tree, mark).created).toEqual(['/made', '/made/file']);
});

test('H-4 a path is described in no more bytes than a record has room for, whatever its bytes are', () => {
  const bytes = (path: string) => new TextEncoder().encode(describePath(path)).length;
  expect(describePath(`/${'a'.repeat(4_094)}`)).toHaveLength(4_095);
  for (const byte of ['\xff', 'a']) {
    const cut = describePath(`/${byte.repeat(4_200)}`);
    expect(cut.endsWith('…')).toBe(true);
    expect(bytes(`/${byte.repeat(4_200)}`)).toBeLessThanOrEqual(4_096);
  }
});
