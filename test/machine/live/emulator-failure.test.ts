import { expect, test } from 'vitest';
import { openGuest, readGuestParts } from './open-guest.ts';

const parts = await readGuestParts();
const { watched } = parts;

test('H-8: an emulator that traps ends its machine, which says so and can be disposed of', async () => {
  let traps = false;
  const instantiate = async (imports: object) => {
    const exports = (await watched.instantiate(imports)) as { main_loop(): number };
    const mainLoop = () => {
      if (traps) throw new WebAssembly.RuntimeError('unreachable');
      return exports.main_loop();
    };
    return { ...exports, main_loop: mainLoop };
  };
  const guest = await openGuest({ ...parts, watched: { ...watched, instantiate } });
  traps = true;
  const cause = expect.objectContaining({ message: 'unreachable' });
  await expect
    .poll(() => guest.failure, { timeout: 60_000 })
    .toMatchObject({ code: 'machine-failed', cause });
  await guest[Symbol.asyncDispose]();
});

test('H-8: an emulator that cannot be made, as for want of memory, fails the start of its machine', async () => {
  const instantiate = () => Promise.reject(new RangeError('Out of memory'));
  const start = openGuest({ ...parts, watched: { ...watched, instantiate } });
  const cause = expect.objectContaining({ message: 'Out of memory' });
  await expect(start).rejects.toMatchObject({ code: 'machine-failed', cause });
});
