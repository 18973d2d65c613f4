import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { probeToolchain } from './probe-toolchain.ts';

/** Writes an executable to where `-o` says, as a compiler does. */
const compiler = `case "$1" in --version) echo "gcc (Debian) 12"; echo more; exit;; esac
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\n' > "$2" && chmod +x "$2"`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-probe-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** An environment whose programs are shell scripts; all do nothing, unless told, and none is one that is missing. */
async function environment(scripts: Record<string, string | undefined> = {}): Promise<NodeJS.ProcessEnv> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const names = ['bc', 'bison', 'flex', 'lz4c', 'make', 'patch', 'tar', 'xz'];
  const all = { ...Object.fromEntries(names.map((name) => [name, ''])), gcc: compiler, ...scripts };
  for (const [name, script] of Object.entries(all)) {
    if (script === undefined) continue;
    const text = `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`;
    await writeFile(join(bin, name), text, { mode: 0o755 });
  }
  return { PATH: bin };
}

describe('the probe for a C toolchain (O-11)', () => {
  test('answers the compiler whose programs compile, link and run', async () => {
    expect(await probeToolchain(await environment(), { folder })).toEqual({
      type: 'works',
      compiler: 'gcc (Debian) 12',
    });
  });

  test.each(['gcc', 'flex', 'lz4c'])('names %s where it is not installed', async (tool) => {
    expect(await probeToolchain(await environment({ [tool]: undefined }), { folder })).toEqual({
      type: 'fails',
      reason: `This machine has no ${tool}`,
    });
  });

  test('repeats what a compiler says that cannot link, as without the C library', async () => {
    const gcc = 'case "$1" in --version) exit;; esac; echo "ld: cannot find Scrt1.o" >&2; exit 1';
    const probe = await probeToolchain(await environment({ gcc }), { folder });
    expect(probe).toMatchObject({
      type: 'fails',
      reason: expect.stringContaining('ld: cannot find Scrt1.o'),
    });
  });

  test('does not accept programs that compile and do not run', async () => {
    const gcc = compiler.replace('#!/bin/sh\\n', '#!/bin/sh\\nexit 127\\n');
    expect(await probeToolchain(await environment({ gcc }), { folder })).toMatchObject({ type: 'fails' });
  });

  test('gives up on a compiler that hangs', async () => {
    const env = await environment({ gcc: 'exec sleep 600' });
    expect(await probeToolchain(env, { folder, timeoutMs: 200 })).toEqual({
      type: 'hangs',
      reason: 'no answer within 0.2 s',
    });
  });

  test('passes on that it was aborted', async () => {
    const env = await environment({ gcc: 'exec sleep 600' });
    const reason = new Error('enough');
    await expect(probeToolchain(env, { folder, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
