import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CacheFolder } from '../cache/cache-folder.ts';
import { runTool } from '../run-tool.ts';
import { cachePackage } from '../test/cache-package.ts';
import { tarFile } from '../test/make-deb.ts';
import { layOutToolchain, toolchainEnvironment } from './lay-out-toolchain.ts';

const report = { bytes: () => {}, detail: () => {} };
const program = (path: string, script: string) => tarFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });

let cache: CacheFolder;
let toolchain: string;
beforeEach(async () => {
  cache = new CacheFolder(await mkdtemp(join(tmpdir(), 'coppice-toolchain-')));
  const packages = [
    await cachePackage(cache, 'gcc', [
      program('./usr/bin/gcc', 'echo "$@"'),
      tarFile('./lib/x86_64-linux-gnu/libgmp.so.10', 'gmp'),
    ]),
    await cachePackage(cache, 'make', [program('./usr/bin/make', 'echo "$M4 $LD_LIBRARY_PATH"')]),
    await cachePackage(cache, 'libc6', [tarFile('./lib/x86_64-linux-gnu/libc.so.6', 'libc')]),
  ];
  await layOutToolchain(packages, cache.join('unfinished'), { cache, report });
  // As it is published.
  toolchain = cache.join('toolchain');
  await rename(cache.join('unfinished'), toolchain);
});
afterEach(() => rm(cache.path, { recursive: true }));

describe('a C toolchain that is not installed (O-11)', () => {
  test('its compiler takes headers and libraries from its own root, wherever that is', async () => {
    const output = await runTool(['gcc', '-c', 'a b.c'], {
      env: toolchainEnvironment(toolchain, process.env),
    });
    expect(output).toBe(`--sysroot=${toolchain}/bin/../root -c a b.c\n`);
  });

  test('its programs load its libraries, and the C library of the host', async () => {
    expect(await readdir(join(toolchain, 'libraries'))).toEqual(['libgmp.so.10']);
    expect(await readFile(join(toolchain, 'libraries/libgmp.so.10'), 'utf8')).toBe('gmp');
    expect(await readFile(join(toolchain, 'root/usr/lib/x86_64-linux-gnu/libc.so.6'), 'utf8')).toBe('libc');
  });

  test('its environment keeps what the user has set and puts its own first', async () => {
    const env = toolchainEnvironment(toolchain, { HOME: '/home/me', PATH: '/bin', LD_LIBRARY_PATH: '/lib' });
    expect(env).toEqual({
      HOME: '/home/me',
      PATH: `${toolchain}/bin:${toolchain}/root/usr/bin:/bin`,
      LD_LIBRARY_PATH: `${toolchain}/libraries:/lib`,
      BISON_PKGDATADIR: `${toolchain}/root/usr/share/bison`,
      M4: `${toolchain}/root/usr/bin/m4`,
    });
    expect(await runTool(['make'], { env })).toBe(`${env.M4} ${env.LD_LIBRARY_PATH}\n`);
  });
});
