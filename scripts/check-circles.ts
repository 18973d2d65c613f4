// No module imports itself by way of others, and no folder another that imports from it. Run by `npm run check`.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Circle, folderCircles, moduleCircles, readImports } from './find-circles.ts';

const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  cwd: root,
  encoding: 'utf8',
});
// Tests import what they like: nothing imports them.
const isBuilt = (file: string) => file !== '' && !file.startsWith('test/') && !file.endsWith('.test.ts');
const imports = readImports(root, files.split('\n').filter(isBuilt));

const found: [string, Circle[]][] = [
  ['modules', moduleCircles(imports)],
  ['folders', folderCircles(imports)],
];
for (const [kind, circles] of found) {
  for (const { members, imports } of circles) {
    console.log(`A circle of ${kind}: ${members.join(', ')}\n  ${imports.join('\n  ')}`);
  }
}
if (found.some(([, circles]) => circles.length > 0)) process.exit(1);
