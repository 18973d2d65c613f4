// `npm run soak`: the running machine saved and rewound at random, for as long as one likes.
import { readGuestParts } from '../machine/live/open-guest.ts';
import { type Command, parseCommandLine, usage } from './command-line.ts';
import { isFlawless, soakLive } from './live/soak-live.ts';

const steps = 48;
const deadlineMs = 60_000;
const progressEvery = 50;

const command = readCommand();
if (command.type === 'help') {
  console.log(usage);
} else {
  const { rewinds, seed, minutes } = command;
  console.log(`seed ${seed}`);
  const found = await soakLive(await readGuestParts(), {
    rewinds,
    seed,
    steps,
    deadlineMs,
    endAfterMs: minutes * 60_000,
    onProgress: (now) => {
      if (now.rewinds % progressEvery === 0) console.log(summary(now));
    },
  });
  console.log(summary(found));
  process.exitCode = isFlawless(found) && found.rewinds > 0 ? 0 : 1;
}

function summary(found: Awaited<ReturnType<typeof soakLive>>): string {
  const { rewinds, forks, differingBytes, missedPages, otherOutputs, hangs } = found;
  const others = [
    ...(missedPages > 0 ? [`${missedPages} pages written without a mark`] : []),
    ...(otherOutputs > 0 ? [`${otherOutputs} times another output`] : []),
  ];
  return [
    `${rewinds} rewinds`,
    `${forks} forks`,
    `${differingBytes} differing bytes`,
    `${hangs} hangs`,
    ...others,
  ].join(', ');
}

function readCommand(): Command {
  try {
    return parseCommandLine(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    return process.exit(2);
  }
}
