import type fs from 'node:fs/promises';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openProbeMemory } from './probe-memory.ts';

/** What may not be written, as on a disk that was mounted read-only, which root is told as well. */
const readOnly = vi.hoisted(() => new Set<string>());
vi.mock('node:fs/promises', async (original) => {
  const real: typeof fs = await original();
  const access: typeof fs.access = async (path, mode) => {
    if (readOnly.has(String(path))) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
    await real.access(path, mode);
  };
  return { ...real, access };
});

describe('what probes have found', () => {
  let folder = '';
  let programs = { launcher: '', scanner: '' };
  /** What was tried. */
  let tried: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-probed-'));
    programs = { launcher: join(folder, 'launcher'), scanner: join(folder, 'scanner') };
    for (const path of Object.values(programs)) await writeFile(path, 'program');
    tried = [];
  });
  afterEach(async () => {
    readOnly.clear();
    await rm(folder, { recursive: true, force: true });
  });

  /** As a process does that opens the folder: answers what lacks. */
  async function openOnce(lacks: Readonly<Record<string, string>> = {}): Promise<(string | undefined)[]> {
    const memory = await openProbeMemory(folder, programs);
    const found = [];
    for (const name of ['network', 'overlay roots']) {
      const probe = async () => {
        tried.push(name);
        return lacks[name];
      };
      found.push(await memory.recall(name, probe));
    }
    await memory.keep();
    return found;
  }

  test('what works is tried once, what does not is tried again', async () => {
    const lacks = { network: 'no relay' };
    expect(await openOnce(lacks)).toEqual(['no relay', undefined]);
    expect(await openOnce(lacks)).toEqual(['no relay', undefined]);
    expect(await openOnce()).toEqual([undefined, undefined]);
    expect(await openOnce(lacks)).toEqual([undefined, undefined]);
    expect(tried).toEqual(['network', 'overlay roots', 'network', 'network']);
  });

  test('what is found to work later is kept, too', async () => {
    await openOnce();
    const memory = await openProbeMemory(folder, programs);
    await memory.keep();
    await memory.recall('programs', async () => undefined);
    await memory.keep();
    expect((await openProbeMemory(folder, programs)).has('programs')).toBe(true);
  });

  test('another program is tried, and the first one is still known', async () => {
    await openOnce();
    const launcher = join(folder, 'newer');
    await writeFile(launcher, 'newer program');
    const before = programs;
    programs = { ...programs, launcher };
    await openOnce();
    programs = before;
    await openOnce();
    expect(tried).toHaveLength(4);
  });

  test('all is tried again where something that was found to work has failed', async () => {
    await openOnce();
    await (await openProbeMemory(folder, programs)).forget();
    await openOnce();
    expect(tried).toHaveLength(4);
  });

  test('what could not be forgotten when it fails counts for nothing', async () => {
    await openOnce();
    for (const path of [folder, join(folder, 'probed')]) {
      readOnly.clear();
      readOnly.add(path);
      await openOnce();
    }
    expect(tried).toHaveLength(6);
    readOnly.clear();
    await openOnce();
    expect(tried).toHaveLength(6);
  });

  test.each(['', 'null', '[["0", "network"]]', '[[1, []]]', 'x'.repeat(20_000)])(
    'a file that is not ours counts for nothing: %.20s',
    async (text) => {
      await openOnce();
      await writeFile(join(folder, 'probed'), text);
      await openOnce();
      expect(tried).toHaveLength(4);
    },
  );

  test('it stays small, however many situations there were', async () => {
    for (let n = 0; n < 40; n++) {
      await writeFile(programs.launcher, 'x'.repeat(n + 100));
      await openOnce();
    }
    expect(JSON.parse(await readFile(join(folder, 'probed'), 'utf8'))).toHaveLength(8);
  });
});
