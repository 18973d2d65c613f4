import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CacheFolder } from '../cache/cache-folder.ts';
import type { Progress } from '../progress.ts';
import { buildEnvironment } from './build-environment.ts';
import { openToolchain } from './open-toolchain.ts';
import { privateToolchainName } from './private-toolchain.ts';

const progress: Progress = {
  note: () => {},
  warn: () => {},
  step: (_label, work) => work({ bytes: () => {}, detail: () => {} }),
};
const compiler = `case "$1" in --version) echo "gcc (Debian) 12"; exit;; esac
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\n' > "$2" && chmod +x "$2"`;

let cache: CacheFolder;
let name: string;
beforeEach(async () => {
  cache = new CacheFolder(await mkdtemp(join(tmpdir(), 'coppice-toolchain-')));
  // A host without a compiler.
  await writePrograms(cache.join('host'), { dpkg: 'echo amd64' });
  vi.stubEnv('PATH', cache.join('host'));
  name = await privateToolchainName();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(cache.path, { recursive: true });
});

async function writePrograms(folder: string, scripts: Record<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [program, script] of Object.entries(scripts)) {
    await writeFile(join(folder, program), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, { mode: 0o755 });
  }
}

/** A fetched toolchain whose programs are shell scripts. */
async function writeToolchain(gcc: string): Promise<void> {
  const tools = ['bc', 'bison', 'flex', 'lz4c', 'make', 'patch', 'tar', 'xz'];
  const scripts = Object.fromEntries(tools.map((tool) => [tool, '']));
  await writePrograms(cache.join(name, 'root/usr/bin'), { ...scripts, gcc });
}

describe('the C toolchain of a build (O-11)', () => {
  test('is the one in the cache where the host has none', async () => {
    await writeToolchain(compiler);
    vi.stubEnv('KCFLAGS', '-O0');
    const toolchain = await openToolchain({ cache, progress });
    expect(toolchain.compiler).toBe('gcc (Debian) 12');
    expect(toolchain.env).toMatchObject({ M4: cache.join(name, 'root/usr/bin/m4') });
    expect(toolchain.env).not.toHaveProperty('KCFLAGS');
    expect(await cache.has(name)).toBe(true);
  });

  test('is fetched anew by the next run when the one in the cache fails', async () => {
    await writeToolchain('echo "cc1: damaged" >&2; exit 1');
    await expect(openToolchain({ cache, progress })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('cc1: damaged'),
    });
    expect(await cache.has(name)).toBe(false);
  });

  test('is not told what would change the bytes of what it builds', () => {
    const kept = { HOME: '/home/me', PATH: '/bin', LD_LIBRARY_PATH: '/lib', CCACHE_DIR: '/ccache' };
    const taken = [
      'GCC_EXEC_PREFIX',
      'CPATH',
      'C_INCLUDE_PATH',
      'LIBRARY_PATH',
      'KCFLAGS',
      'KCPPFLAGS',
      'KAFLAGS',
      'MAKEFLAGS',
      'LOCALVERSION',
      'HOSTCFLAGS',
      'KBUILD_OUTPUT',
      'KCONFIG_CONFIG',
    ];
    const set = Object.fromEntries(taken.map((variable) => [variable, 'x']));
    expect(buildEnvironment({ ...kept, ...set })).toEqual(kept);
  });
});
