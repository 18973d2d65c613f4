import { LiveTree } from '../../../tree/live/live-tree.ts';
import { messageType } from '../../../tree/ninep/message-type.ts';
import { openFlag } from '../../../tree/ninep/open-flags.ts';
import { Message } from '../../ninep/message.ts';
import { mount } from '../../ninep/mount.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { mean, median, round } from '../median.ts';
import { createFiles } from './create-files.ts';

const restFiles = 100_000;
const writtenFiles = 256;
const fileBytes = 65_536;
const writeBytes = 4_096;
const rounds = 40;
const roundWrites = 1_000;

/** `first_write_ratio`: 4 KiB over 9P into files of a large tree, each after a snapshot and not, by turns. */
export const firstWrite: Benchmark<Lab> = { keys: ['first_write_ratio'], measure };

async function measure(): Promise<Figures> {
  const { tree, writeNext } = openFiles();
  let held = tree.snapshot();
  const clock: number[] = [];
  const plain: number[] = [];
  const first: number[] = [];
  for (let round = 0; round < 2 * rounds; round++) {
    if (round === rounds) for (const times of [clock, plain, first]) times.length = 0; // That was the warm-up.
    for (let n = 0; n < roundWrites; n++) clock.push(timeUs(() => undefined));
    for (let n = 0; n < roundWrites; n++) plain.push(timeUs(writeNext));
    for (let n = 0; n < roundWrites; n++) {
      held = tree.snapshot();
      first.push(timeUs(writeNext));
    }
  }
  const clockUs = median(clock);
  const plainUs = median(plain) - clockUs;
  const firstUs = median(first) - clockUs;
  return {
    first_write_ratio: {
      value: round(firstUs / plainUs),
      details: {
        plainUs: round(plainUs),
        firstUs: round(firstUs),
        clockUs: round(clockUs),
        // With all pauses of the garbage collector and of the machine in it.
        meanRatio: round((mean(first) - clockUs) / (mean(plain) - clockUs)),
        writes: first.length,
        files: held.usedInodes,
        where: 'Node',
      },
    },
  };
}

/** A served tree with open files, and a function that overwrites 4 KiB of the next one in turn. */
function openFiles(): { tree: LiveTree; writeNext: () => void } {
  const tree = new LiveTree();
  createFiles(tree, { top: 'rest', count: restFiles });
  const bytes = new Uint8Array(fileBytes).fill(1);
  const files = createFiles(tree, { top: 'written', count: writtenFiles, bytes });
  const { server, client, root } = mount(tree);
  const requests = files.map((path, n) => {
    const fid = client.walk(root, ...path);
    client.open(fid, openFlag.readWrite);
    const offset = (n * writeBytes) % fileBytes;
    const data = new Uint8Array(writeBytes).fill(n);
    return new Message('write').u32(fid).u64(offset).u32(writeBytes).data(data).finish();
  });
  let next = 0;
  const writeNext = () => {
    const request = requests[next % writtenFiles];
    next++;
    if (!request || server.handle(request)[4] !== messageType.write + 1) throw new Error('Twrite failed');
  };
  return { tree, writeNext };
}

function timeUs(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) * 1000;
}
