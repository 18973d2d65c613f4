import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { AptRoot } from '../../host/debian/apt-root.ts';
import type { ArchivePackage } from '../../host/debian/archive-package.ts';
import { readPackage } from '../../host/debian/fetch-packages.ts';
import { fetchHostPackages } from '../../host/debian/host-packages.ts';
import { findCandidates, resolveClosure } from '../../host/debian/query-archive.ts';
import type { Progress, StepReport } from '../../host/progress.ts';
import { buildEnvironment } from '../../host/toolchain/build-environment.ts';
import { toolchainEnvironment } from '../../host/toolchain/lay-out-toolchain.ts';
import { openPrivateToolchain } from '../../host/toolchain/private-toolchain.ts';
import { probeToolchain } from '../../host/toolchain/probe-toolchain.ts';
import { createRootTree, sealRoot } from '../../images/output/seal-root.ts';
import { readLock } from '../../images/profiles/lock-file.ts';
import { readProfile } from '../../images/profiles/profile.ts';
import { resolveProfile } from '../../images/profiles/resolve-profile.ts';
import { settleLock } from '../../images/profiles/settle-lock.ts';
import { assembleRoot } from '../../images/rootfs/assemble-root.ts';
import { inLongRun } from '../runs-long.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

const silent: StepReport = { bytes: () => {}, detail: () => {} };
const progress: Progress = {
  note: () => {},
  warn: () => {},
  step: (_, work) => work(silent),
};

let scratch: CacheFolder;
let apt: AptRoot | undefined;
let unreachable = '';

beforeAll(async () => {
  scratch = new CacheFolder(await mkdtemp(join(tmpdir(), 'coppice-images-')));
  try {
    apt = await AptRoot.open(scratch, { architecture: 'i386', progress });
    await apt.update();
    await findCandidates(apt, ['hostname']);
  } catch (error) {
    unreachable = `the archive cannot be reached: ${(error as Error).message}`;
  }
});
afterAll(() => rm(scratch.path, { recursive: true, force: true }));

describe('images from the archive (O-11)', () => {
  longTest(
    'a C toolchain that is not installed works from the cache, and from there alone',
    async (context) => {
      if (!apt) return context.skip(unreachable);
      const name = await openPrivateToolchain({ cache: scratch, progress });
      const env = toolchainEnvironment(scratch.join(name), buildEnvironment(process.env));
      const paths = (env.PATH ?? '').split(':').filter((path) => path.startsWith(scratch.path));
      const probe = await scratch.withTemporaryFolder((folder) =>
        probeToolchain({ ...env, PATH: paths.join(':') }, { folder }),
      );
      expect(probe).toEqual({ type: 'works', compiler: expect.stringMatching(/^gcc \(Debian /) });
    },
  );

  test('the same lock gives the same tree, compiled Python included (H-2)', async (context) => {
    const profile = await readProfile('python');
    const cache = new CacheFolder(cachePath());
    const build = async () => {
      const { packages } = await settleLock(
        await readLock(profile.lockPath),
        (root) => resolveProfile(profile, root),
        {
          cache,
          progress,
          apt: async () => apt ?? context.skip(unreachable),
        },
      );
      const tree = createRootTree();
      const hostPackages = (names: readonly string[]) => fetchHostPackages(names, { cache, progress });
      await assembleRoot(tree, packages, { profile, cache, report: silent, overlays: [], hostPackages });
      return (await sealRoot(tree, silent)).tree;
    };
    const first = await build();
    expect(await build()).toBe(first);
  });

  test('a pinned version that has left the archive gives way to its successor, by name', async (context) => {
    if (!apt) return context.skip(unreachable);
    const root = apt;
    const [hostname, psmisc] = await findCandidates(root, ['hostname', 'psmisc']);
    if (!hostname || !psmisc) throw new Error('apt-cache shows nothing');
    const gone: ArchivePackage = { ...hostname, version: '1.0', sha256: '0'.repeat(64) };
    const resolve = async () => [hostname, psmisc];
    const options = { cache: scratch, progress, apt: async () => root };
    const settled = await settleLock({ packages: [gone, psmisc] }, resolve, options);
    expect(settled).toEqual({
      packages: [hostname, psmisc],
      offLock: [`hostname 1.0 → ${hostname.version}`],
    });
    for (const one of settled.packages) expect((await readPackage(one, scratch)).length).toBe(one.sizeBytes);
    // Now that it is in the cache, the archive is not asked.
    const offline = { ...options, apt: () => Promise.reject(new Error('asked the archive')) };
    expect((await settleLock({ packages: settled.packages }, resolve, offline)).offLock).toEqual([]);
  });

  test('a package that the archive does not have is named', async (context) => {
    if (!apt) return context.skip(unreachable);
    await expect(findCandidates(apt, ['psmisc', 'no-such-package'])).rejects.toThrow(
      'no package no-such-package',
    );
    await expect(resolveClosure(apt, ['no-such-package'])).rejects.toThrow('no-such-package');
  });
});
