import type { GuestImage, GuestMachine } from '../../../web/worker/machine/guest-machine.ts';
import { heldBytes } from '../../held-bytes.ts';
import { run } from '../../machine/live/open-guest.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { LiveLab } from '../lab/live-lab.ts';
import { round } from '../median.ts';

/** What is typed at a prompt, by turns. */
const commands = [
  'echo hi > /tmp/f',
  'ls -l /etc | wc -l',
  'cat /tmp/f',
  'grep -c root /etc/passwd',
  'cp /tmp/f /tmp/g',
];
const warmUps = 40;
const checkpoints = 200;

/** `space_checkpoints`: bytes of one `save_state` ÷ what a checkpoint from prompt to prompt takes, all of it counted. */
export const space: Benchmark<LiveLab> = { keys: ['space_checkpoints'], measure };

async function measure(lab: LiveLab): Promise<Figures> {
  await using guest = await lab.guest();
  await using plain = await lab.plain();
  let images: GuestImage[] = [];
  const take = async (n: number) => {
    await run(guest, commands[n % commands.length] as string);
    images.push(guest.checkpoint());
  };
  for (let n = 0; n < warmUps + checkpoints; n++) await take(n);
  const all = await held(guest);
  // What is given back when they go: this process also grows by what the guest does.
  images = images.slice(0, warmUps);
  guest.checkpoints?.keepOnly(images.map(({ machine }) => machine));
  const left = await held(guest);
  const eachBytes = (all.pages - left.pages + all.heap - left.heap) / checkpoints;
  const stateBytes = await plain.stateBytes();
  return {
    space_checkpoints: {
      value: Math.floor(stateBytes / eachBytes),
      details: {
        eachBytes: round(eachBytes),
        pageBytes: round((all.pages - left.pages) / checkpoints),
        otherBytes: round((all.heap - left.heap) / checkpoints),
        stateBytes,
        checkpoints,
        where: 'in Node',
      },
    },
  };
}

/** Bytes of page contents, and of all else that this process holds, once nothing is left to be made smaller. */
async function held(guest: GuestMachine): Promise<{ pages: number; heap: number }> {
  guest.checkpoints?.settle();
  for (let round = 0; round < 2; round++) {
    heldBytes();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { pages: guest.checkpoints?.usedBytes ?? 0, heap: heldBytes() };
}
