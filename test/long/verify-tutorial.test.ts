import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { verifyIn } from '../../cli/recording/verify-in.ts';
import { demos } from '../../examples/demos/index.ts';
import { openRecording } from '../../recording/read/open-recording.ts';
import { demosFolder } from '../../scripts/recorded-demos.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { recordDemo } from '../demos/record-demo.ts';
import { machineBackend } from '../machine/machine-backend.ts';

/** Of a recording of the tutorial, in a new machine of today's image. */
async function verify(bytes: Uint8Array) {
  await using sandbox = await Sandbox.create({ backend: await machineBackend(), image: 'debian' });
  await using recording = await openRecording({ read: async (from, to) => bytes.subarray(from, to) });
  const { signal } = new AbortController();
  return await verifyIn(sandbox, recording, { all: false, timeoutMs: 600_000, signal });
}

test('P-4 the tutorial does what its recording shows, as kept and as made anew; a planted divergence is found', async () => {
  const kept = await readFile(join(demosFolder, 'tutorial.cast.gz'));
  const { tutorial } = demos;
  if (!tutorial) throw new Error('The tutorial is no demo');
  const { file } = await recordDemo(tutorial, () => undefined);
  for (const bytes of [kept, file]) {
    const { counts, first } = await verify(bytes);
    expect(first).toBeUndefined();
    expect(counts.exact + counts.minor).toBe(8);
  }
  const planted = gunzipSync(file).toString().replaceAll('return 7', 'return 8');
  const { first } = await verify(Buffer.from(planted));
  expect(first).toMatchObject({ level: 'major', text: "echo 'int main(){return 8;}' > main.c" });
});
