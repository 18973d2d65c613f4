import { describe, expect, test } from 'vitest';
import type { GuestMachine } from '../../../web/worker/machine/guest-machine.ts';
import { readGuestParts, run, startProcess } from './open-guest.ts';
import { type Saved, Shelf } from './shelf.ts';

const teller = `import sys
x = 1
for line in sys.stdin:
    exec(line)
    print(x, flush=True)`;

/** Starts a python that holds variables; what it is told is run in it. */
async function startPython(guest: GuestMachine): Promise<void> {
  await run(
    guest,
    `mkfifo /tmp/in; (exec 3<>/tmp/in; exec python3 -c '${teller}' <&3 >/tmp/out) >/dev/null 2>&1 &`,
  );
}

function tell(guest: GuestMachine, line: string): Promise<string> {
  return run(
    guest,
    `n=$(wc -l </tmp/out); echo '${line}' > /tmp/in; until [ "$(wc -l </tmp/out)" -gt "$n" ]; do sleep 0.01; done; tail -n1 /tmp/out`,
  );
}

describe('B-4 a machine that is stored while it runs', () => {
  test('H-5 another one goes on from it: memory, processes, files, and removed files that are open', async () => {
    const shelf = new Shelf(await readGuestParts());
    let saved: Saved;
    {
      await using first = await shelf.open();
      const { guest } = first;
      await startPython(guest);
      expect(await tell(guest, 'x = 42')).toBe('42\n');
      await run(
        guest,
        '(n=0; while :; do n=$((n+1)); echo $n > /tmp/new; mv /tmp/new /tmp/count; done) >/dev/null 2>&1 &',
      );
      await run(
        guest,
        'echo secret > /tmp/gone; (exec 4</tmp/gone; rm /tmp/gone; exec sleep 1000 <&4) >/dev/null 2>&1 &',
      );
      await run(
        guest,
        'until [ -s /tmp/count ] && [ ! -e /tmp/gone ]; do sleep 0.01; done; mkdir /home/user/made',
      );
      const images = [await first.save()];
      expect(await tell(guest, 'x = x + 1')).toBe('43\n');
      images.push(await first.save());
      saved = images[1] as typeof saved;
      // The second costs what changed.
      expect(images[1]?.sizeBytes).toBeLessThan((images[0]?.sizeBytes ?? 0) / 2);
    }
    await using second = await shelf.openFrom(saved);
    const { guest } = second;
    expect(await tell(guest, 'x = x * 2')).toBe('86\n');
    const wait = 'then=$(cat /tmp/count); until [ "$(cat /tmp/count)" -gt "$then" ]; do sleep 0.01; done';
    expect(await run(guest, `${wait}; echo counts`)).toBe('counts\n');
    expect(await run(guest, 'ls /home/user; cat /proc/$(pgrep -x sleep | head -n1)/fd/0')).toBe(
      'made\nsecret\n',
    );

    // And another one from that.
    await using third = await shelf.openFrom(await second.save());
    expect(await tell(third.guest, 'x = x + 1')).toBe('87\n');
    expect(third.guest.missedPages()).toBe(0);
  });

  test('of another emulator, size of memory or kernel it is refused with the reason', async () => {
    const shelf = new Shelf(await readGuestParts());
    await using first = await shelf.open();
    const saved = await first.save();
    const { origin } = shelf.parts;
    const others = { version: '0.5.463', ramPages: 1, kernel: origin.image } as const;
    for (const [part, value] of Object.entries(others)) {
      await expect(
        shelf.openFrom(saved, { ...shelf.parts, origin: { ...origin, [part]: value } }),
      ).rejects.toMatchObject({
        code: 'version-mismatch',
        details: { part },
      });
    }
  });

  test('H-7 the time is right in it, and goes on', async () => {
    const shelf = new Shelf(await readGuestParts());
    await using first = await shelf.open();
    await run(first.guest, 'true');
    const saved = await first.save();
    const ids: string[] = [];
    for (let round = 0; round < 2; round++) {
      await using other = await shelf.openFrom(saved);
      const beforeMs = Date.now();
      const [start = '', end = '', id = ''] = (
        await run(other.guest, 'date +%s%N; sleep 0.3; date +%s%N; cat /etc/machine-id')
      ).split('\n');
      const [startMs, endMs] = [Number(start) / 1e6, Number(end) / 1e6];
      expect(startMs).toBeGreaterThan(beforeMs - 2_000);
      expect(startMs).toBeLessThan(Date.now() + 2_000);
      expect(endMs - startMs).toBeGreaterThan(290);
      ids.push(id);
    }
    expect(new Set(ids).size).toBe(2);
  });

  test('output of a process that nobody has is not waited for', async () => {
    const shelf = new Shelf(await readGuestParts());
    await using first = await shelf.open();
    const counting = startProcess(first.guest, 'while :; do echo x; done');
    await counting.started;
    await using other = await shelf.openFrom(await first.save());
    expect(await run(other.guest, 'echo yes')).toBe('yes\n');
  });
});
