import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSettingNow } from './group-files.ts';

test('a jail that ended while it was frozen is no mistake of the bridge', () => {
  const gone = join(tmpdir(), 'coppice-no-such-group', 'freezer.state');
  expect(() => writeSettingNow(gone, 'THAWED')).toThrow(expect.objectContaining({ code: 'machine-failed' }));
  expect(() => writeSettingNow(tmpdir(), 'THAWED')).toThrow(expect.objectContaining({ code: 'internal' }));
});
