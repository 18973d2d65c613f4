// `npm run soak`: a machine that is saved and rewound, a bridge that is killed, or a folder that is worked in, at random, for as long as one likes.
import { readGuestParts } from '../machine/live/open-guest.ts';
import type { BridgeSoakFound } from './bridge/bridge-round.ts';
import { soakBridge } from './bridge/soak-bridge.ts';
import { type Command, parseCommandLine, usage } from './command-line.ts';
import { type FolderSoakFound, soakFolder } from './folder/soak-folder.ts';
import { isFlawless, soakLive } from './live/soak-live.ts';

const steps = 48;
const deadlineMs = 60_000;
const progressEvery = 50;

const command = readCommand();
if (command.type === 'help') {
  console.log(usage);
} else if (command.type === 'bridge') {
  const { seed, minutes } = command;
  console.log(`seed ${seed}`);
  const found = await soakBridge({
    seed,
    endAfterMs: minutes * 60_000,
    onProgress: (now) => console.log(bridgeSummary(now)),
  });
  console.log(bridgeSummary(found));
  for (const what of [...found.lost.map((each) => `Lost: ${each}`), ...found.failures]) console.log(what);
  process.exitCode = found.lost.length + found.failures.length === 0 && found.compared > 0 ? 0 : 1;
} else if (command.type === 'folder') {
  const { seed, minutes } = command;
  console.log(`seed ${seed}`);
  const found = await soakFolder({
    seed,
    endAfterMs: minutes * 60_000,
    onProgress: (now) => console.log(folderSummary(now)),
  });
  console.log(folderSummary(found));
  console.log(found.outcomes);
  for (const failure of found.failures) console.log(failure);
  process.exitCode = found.failures.length === 0 && found.rounds > 0 ? 0 : 1;
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

function bridgeSummary(found: BridgeSoakFound): string {
  const { rounds, snapshots, compared, uploads, hostileUploads, deletions, processKills } = found;
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  return [
    `${rounds} rounds (${list(found.bridgeEnds)})`,
    `${snapshots} snapshots`,
    `${found.stressCaptures} captures of the stress`,
    `${uploads} uploads and ${hostileUploads} hostile ones`,
    `${deletions} deletions`,
    `${processKills} processes killed`,
    `${found.continued} jails gone on with`,
    `the disk full ${found.fullDisks} times`,
    `refusals (${list(found.refusals)})`,
    `${compared} files compared`,
    `${found.lost.length} lost`,
    `${found.failures.length} failures`,
  ].join(', ');
}

function folderSummary({ folders, rounds, failures, openFiles }: FolderSoakFound): string {
  const megabytes = Math.round(process.memoryUsage.rss() / 1024 ** 2);
  return `${folders} folders, ${rounds} rounds, ${failures.length} failures, ${openFiles} open files, ${megabytes} MiB of memory`;
}

function readCommand(): Command {
  try {
    return parseCommandLine(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    return process.exit(2);
  }
}
