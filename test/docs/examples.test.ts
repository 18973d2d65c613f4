import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './documents.ts';

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const unit = readFileSync(join(root, 'examples/systemd/coppice-bridge.service'), 'utf8');

describe('the unit for systemd', () => {
  test('gives the bridge options that it knows', () => {
    const help = execFileSync(process.execPath, ['scripts/bridge.ts', '--help'], {
      cwd: root,
      encoding: 'utf8',
    });
    const options = /^ExecStart=.*$/m.exec(unit)?.[0].match(/--[\w-]+/g) ?? [];
    expect(options).toContain('--token-file');
    expect(options.filter((option) => !help.includes(option))).toEqual([]);
  });

  test.skipIf(!hasSystemd)('is one that systemd takes (skipped where there is no systemd-analyze)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-unit-'));
    try {
      const path = join(folder, 'coppice-bridge.service');
      writeFileSync(path, unit.replaceAll('/opt/coppice', root));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
        encoding: 'utf8',
      });
      expect({ status, about: stderr.split('\n').filter((line) => line.includes('coppice')) }).toEqual({
        status: 0,
        about: [],
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
