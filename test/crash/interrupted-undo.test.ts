import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openProject, type TestProject } from '../../cli/test-project.ts';

const killed = fileURLToPath(new URL('./folder-oracle/killed-move.ts', import.meta.url));

async function everything({ folder }: TestProject): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const text = entry.isFile() ? await readFile(path, 'utf8') : '';
    return [path.slice(folder.length), text] as const;
  });
  return Object.fromEntries((await Promise.all(found)).sort());
}

/** Undoes the last step in a process that is killed at an instant of the write; false where it has ended before that. */
async function killUndo({ folder, cli }: TestProject, instant: number): Promise<boolean> {
  const move = JSON.stringify({ type: 'undo', count: 1, takeAll: false });
  const child = spawn(process.execPath, [killed, cli.folder, folder, move, String(instant)], {
    stdio: 'inherit',
  });
  const [, signal] = await once(child, 'exit');
  return signal === 'SIGKILL';
}

for (const way of ['--continue', '--abort']) {
  test(`R-12 an undo that was killed at any instant is told of by the next command, and undo ${way} ends it`, async () => {
    await using project = await openProject({
      same: 'same',
      'd/changed': '0',
      'd/gone': 'gone',
      'e/f/deep': 'deep',
    });
    const before = await everything(project);
    await writeFile(project.at('d/changed'), '1');
    await rm(project.at('d/gone'));
    await rm(project.at('e'), { recursive: true });
    await mkdir(project.at('made/in'), { recursive: true });
    await writeFile(project.at('made/in/file'), 'new');
    await project.run('commit', '-m', 'step');
    await project.run('tag', 'step');
    const after = await everything(project);
    let count = 0;
    for (let instant = 1; await killUndo(project, instant); instant += 9) {
      count++;
      const log = await project.run('log');
      expect(log).toMatchObject({ code: 0, stderr: expect.stringContaining('undo --continue') });
      expect(await project.run('commit')).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('undo --abort'),
      });
      await writeFile(project.at('mine'), `${instant}`);
      const ended = await project.run('undo', way);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      const mine = { '/mine': `${instant}` };
      expect(await everything(project)).toEqual({ ...(way === '--abort' ? after : before), ...mine });
      expect((await project.run('undo', way)).code).toBe(3);
      if (way === '--continue') await project.run('redo');
      expect(await everything(project)).toEqual({ ...after, ...mine });
      await rm(project.at('mine'));
      expect(await project.run('checkout', 'step')).toMatchObject({ code: 0 });
    }
    expect(count).toBeGreaterThan(2);
  });
}
