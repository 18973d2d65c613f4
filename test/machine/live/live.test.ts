import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { GuestMachine } from '../../../web/worker/machine/guest-machine.ts';
import { runsLong } from '../../runs-long.ts';
import { RamWitness } from '../../soak/live/ram-witness.ts';
import { seededRandom } from '../../soak/seeded-random.ts';
import { openGuest, readGuestParts, run, startProcess } from './open-guest.ts';

/** Of random work and going back; a soak does it for hours. */
const rounds = runsLong ? 24 : 10;

let guest: GuestMachine;
beforeEach(async () => {
  guest = await openGuest();
});
afterEach(() => guest[Symbol.asyncDispose]());

describe('B-4 a machine that goes back while it runs', () => {
  test('H-5 memory, processes and files go back together', async () => {
    const counting = startProcess(
      guest,
      'n=0; while :; do n=$((n+1)); echo $n > /tmp/new; mv /tmp/new /tmp/count; done',
    );
    await counting.started;
    await run(guest, 'mkdir /tmp/before; until [ -s /tmp/count ]; do :; done');
    const image = guest.checkpoint();
    const count = () => run(guest, 'cat /tmp/count').then(Number);
    const then = await count();
    await run(guest, 'rm -r /tmp/before; mkdir /tmp/after; sleep 0.2');
    expect(await count()).toBeGreaterThan(then);
    await guest.rewind(image);
    expect(await run(guest, 'cd /tmp; ls -d before after 2>&1')).toMatch(
      /cannot access 'after'.*\nbefore\n$/,
    );
    // It goes on from where it was, and by itself.
    const again = await count();
    expect(again).toBeGreaterThan(0);
    await run(guest, 'sleep 0.2');
    expect(await count()).toBeGreaterThan(again);
  });

  test('it runs before its RAM is there, which comes when somebody looks at it, and soon', async () => {
    let absent = 0;
    const parts = await readGuestParts();
    const witness: RamWitness = new RamWitness(parts, {
      onPlaced: () => {
        absent = witness.countAbsent();
      },
    });
    await using late = await openGuest(witness.parts);
    expect(absent).toBeGreaterThan(1_000);
    expect(await run(late, 'python3 -c "print(sum(range(1000)))"')).toBe('499500\n');
    await expect.poll(() => witness.countAbsent(), { timeout: 60_000 }).toBe(0);

    const image = late.checkpoint();
    await run(late, 'seq 1 100000 > /tmp/numbers');
    let goneBack = 0;
    const onRestored = () => {
      goneBack = witness.countAbsent();
    };
    const { pages } = await late.rewind(image, { onRestored });
    expect(goneBack).toBeGreaterThan(pages / 2);
    expect(await run(late, 'cat /tmp/numbers 2>&1; echo more')).toMatch(/No such file.*\nmore\n$/);
    await expect.poll(() => witness.countAbsent(), { timeout: 60_000 }).toBe(0);
    expect(late.missedPages()).toBe(0);
  });

  test('an image shares pages with RAM, and keeps what is in them when the guest goes on at once', async () => {
    const parts = await readGuestParts();
    const witness = new RamWitness(parts);
    await using watched = await openGuest(witness.parts);
    await run(watched, 'seq 1 20000 > /tmp/numbers');
    watched.checkpoint();
    watched.checkpoints?.settle();
    await run(watched, 'seq 1 100000 | md5sum > /tmp/sum');
    const image = watched.checkpoint();
    const copy = witness.copy();
    await run(watched, 'seq 100000 -1 1 | md5sum > /tmp/sum; rm /tmp/numbers');
    let differing = Number.NaN;
    const onRestored = () => {
      differing = witness.countDiffering(copy);
    };
    await watched.rewind(image, { onRestored });
    expect(differing).toBe(0);
    expect(await run(watched, 'wc -l < /tmp/numbers')).toBe('20000\n');
  });

  test('its RAM is copied ahead of the first image, which is exact all the same', async () => {
    const writing = startProcess(
      guest,
      'exec python3 -c "\nb = bytearray(4_000_000)\nwhile True:\n for i in range(0, len(b), 4096): b[i] = (b[i] + 1) & 255"',
    );
    await writing.started;
    const kept = () => guest.checkpoints?.usedBytes ?? 0;
    await expect.poll(kept, { timeout: 60_000 }).toBeGreaterThan(4_000_000);
    const image = guest.checkpoint();
    // The machine has not run since: all of its RAM is compared.
    guest.checkpoints?.settle();
    expect(guest.missedPages()).toBe(0);
    await run(guest, 'seq 1 3000 > /tmp/numbers');
    await guest.rewind(image);
    expect(guest.missedPages()).toBe(0);
    expect(await run(guest, 'cat /tmp/numbers 2>&1; echo more')).toMatch(/No such file.*\nmore\n$/);
  });

  test('without marks, all of RAM is compared: going back is the same', async () => {
    const parts = await readGuestParts();
    await using plain = await openGuest({ ...parts, watched: { ...parts.watched, marks: undefined } });
    await run(plain, 'echo then > /tmp/f; seq 1 3000 > /tmp/g');
    const image = plain.checkpoint();
    expect(plain.tracking).toBe('comparison');
    const before = await run(plain, 'cat /tmp/f; md5sum < /tmp/g');
    await run(plain, 'echo now > /tmp/f; python3 -c "print(sum(range(10000)))" > /tmp/g');
    await plain.rewind(image);
    expect(await run(plain, 'cat /tmp/f; md5sum < /tmp/g')).toBe(before);
    expect(plain.missedPages()).toBe(0);
  });

  test('what a process holds in memory is what it held', async () => {
    const script = `import sys
x = 1
for line in sys.stdin:
    exec(line)
    print(x, flush=True)`;
    await run(
      guest,
      `mkfifo /tmp/in; (exec 3<>/tmp/in; exec python3 -c '${script}' <&3 >/tmp/out) >/dev/null 2>&1 &`,
    );
    const tell = (line: string) =>
      run(
        guest,
        `n=$(wc -l </tmp/out); echo '${line}' > /tmp/in; until [ "$(wc -l </tmp/out)" -gt "$n" ]; do sleep 0.01; done; tail -n1 /tmp/out`,
      );
    expect(await tell('x = 42')).toBe('42\n');
    const image = guest.checkpoint();
    expect(await tell('x = x + 1')).toBe('43\n');
    expect(await tell('x = [x] * 3')).toBe('[43, 43, 43]\n');
    await guest.rewind(image);
    expect(await tell('x = x * 2')).toBe('84\n');
  });

  test('H-7 after it the time is right, goes on, and random numbers are others', async () => {
    await run(guest, 'true');
    const image = guest.checkpoint();
    const numbers: string[] = [];
    for (let round = 0; round < 3; round++) {
      await guest.rewind(image);
      const beforeMs = Date.now();
      const [first = '', second = '', random = ''] = (
        await run(guest, 'date +%s%N; sleep 0.3; date +%s%N; od -An -tx1 -N16 /dev/urandom')
      ).split('\n');
      const [startMs, endMs] = [Number(first) / 1e6, Number(second) / 1e6];
      expect(startMs).toBeGreaterThan(beforeMs - 2_000);
      expect(startMs).toBeLessThan(Date.now() + 2_000);
      expect(endMs - startMs).toBeGreaterThan(290);
      numbers.push(random);
    }
    expect(new Set(numbers).size).toBe(3);
  });

  test('whatever it does, every page that it writes is marked, and going back is exact', {
    timeout: 240_000,
  }, async () => {
    const work = [
      'seq 1 2000 | sort -R | md5sum',
      'for i in 1 2 3 4 5; do (echo $i; sleep 0.05) & done; wait',
      'python3 -c "print(sum(i * i for i in range(20000)))"',
      'dd if=/dev/urandom of=/tmp/r bs=64k count=8 2>/dev/null; cksum /tmp/r; rm /tmp/r',
      'printf "int main(void) { return 7; }" > /tmp/m.c && tcc -o /tmp/m /tmp/m.c; /tmp/m; echo $?',
      'cat /proc/meminfo /proc/interrupts > /dev/null; find /etc -type f | wc -l',
    ];
    await run(guest, work.join(';'));
    const random = seededRandom(20_261_122);
    const images = [{ image: guest.checkpoint(), round: 0 }];
    await run(guest, 'echo 0 > /tmp/round');
    for (let round = 1; round <= rounds; round++) {
      await run(guest, `echo ${round} > /tmp/round; ${work[Math.floor(random() * work.length)]}`);
      expect(guest.missedPages()).toBe(0);
      if (random() < 0.5) images.push({ image: guest.checkpoint(), round });
      if (random() < 0.5) continue;
      const back = images[Math.floor(random() * images.length)];
      if (!back || back.round === 0) continue;
      await guest.rewind(back.image);
      expect(await run(guest, 'cat /tmp/round')).toBe(`${back.round}\n`);
    }
  });
});
