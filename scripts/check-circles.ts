// No module imports itself by way of others, in TypeScript or C, and no folder another that imports from it. Run by
// `npm run check`.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Circle, folderCircles, moduleCircles, readImports, readIncludes } from './find-circles.ts';

const root = join(import.meta.dirname, '..');
// Tests import what they like: nothing imports them.
// What was moved is listed until that is committed.
const isThere = (file: string) => file !== '' && existsSync(join(root, file));
const isBuilt = (file: string) => isThere(file) && !file.startsWith('test/') && !file.endsWith('.test.ts');
const builtFiles = (...patterns: string[]) => {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns];
  return execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\n').filter(isBuilt);
};
const imports = readImports(root, builtFiles('*.ts'));

const found: [string, Circle[]][] = [
  ['modules', moduleCircles(imports)],
  ['C modules', moduleCircles(readIncludes(root, builtFiles('*.c', '*.h')))],
  ['folders', folderCircles(imports)],
];
for (const [kind, circles] of found) {
  for (const { members, imports } of circles) {
    console.log(`A circle of ${kind}: ${members.join(', ')}\n  ${imports.join('\n  ')}`);
  }
}
if (found.some(([, circles]) => circles.length > 0)) process.exit(1);
