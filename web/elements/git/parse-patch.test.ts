import { expect, test } from 'vitest';
import { parsePatch } from './parse-patch.ts';

const patch = `diff --git a/a.txt b/a.txt
index 814f4a4..0cfbf08 100644
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 one
-two
+diff --git a/x b/x
@@ -9 +9,2 @@ section
-nine
\\ No newline at end of file
+nine
+ten
diff --git "a/gr\\303\\274n.txt" "b/gr\\303\\274n.txt"
deleted file mode 100644
--- "a/gr\\303\\274n.txt"
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/picture b/picture
Binary files a/picture and b/picture differ
diff --git a/run me.sh b/run me.sh
old mode 100644
new mode 100755
`;

test('B-7 a file’s part of a patch becomes the rows of a diff, with the lines that are left out counted', () => {
  expect(parsePatch({ patch, isCut: false }, 'a.txt').hunks).toEqual([
    {
      skippedBefore: 0,
      lines: [
        { type: 'same', text: 'one', oldNumber: 1, newNumber: 1 },
        { type: 'deleted', text: 'two', oldNumber: 2, newNumber: 0 },
        { type: 'added', text: 'diff --git a/x b/x', oldNumber: 0, newNumber: 2 },
      ],
    },
    {
      skippedBefore: 6,
      lines: [
        { type: 'deleted', text: 'nine', oldNumber: 9, newNumber: 0 },
        { type: 'added', text: 'nine', oldNumber: 0, newNumber: 9 },
        { type: 'added', text: 'ten', oldNumber: 0, newNumber: 10 },
      ],
    },
  ]);
});

test('B-7 quoted names are read as git writes them; a file without rows says why', () => {
  const read = (path: string) => parsePatch({ patch, isCut: false }, path);
  const gone = { type: 'deleted', text: 'gone', oldNumber: 1, newNumber: 0 };
  expect(read('grün.txt')).toEqual({ hunks: [{ skippedBefore: 0, lines: [gone] }], note: '' });
  expect(read('picture')).toEqual({ hunks: [], note: 'A binary file: its content differs.' });
  expect(read('run me.sh').note).toBe('The mode changed from 100644 to 100755.');
  expect(read('no')).toEqual({ hunks: [], note: 'There is no text to compare.' });
});

test('B-7 a patch that is cut off names the command that shows the rest', () => {
  const read = (path: string) =>
    parsePatch({ patch: `${patch}diff --git a/last b/last\n--- a/last\n+++ b/la`, isCut: true }, path);
  expect(read('last').note).toMatch(/git diff -- last$/);
  expect(read('later').note).toMatch(/too long .*git diff -- later$/);
  expect(read('a.txt')).toMatchObject({ note: '' });
});
