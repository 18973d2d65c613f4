// `npm run bench`: measures what README and docs claim about speed, on this machine.
import { type Command, parseCommandLine, usage } from './command-line.ts';
import { describeBrowser, describeHost } from './environment.ts';
import { measureBridge } from './measure-bridge.ts';
import { measureLight } from './measure-light.ts';
import { measureLive } from './measure-live.ts';
import { measureReplay } from './measure-replay.ts';
import { measureRewind } from './measure-rewind.ts';
import { measureTab } from './measure-tab.ts';
import { measureVisitor } from './measure-visitor.ts';
import { formatJson, formatTable, isMissing } from './report.ts';

const measures = {
  tab: measureTab,
  bridge: measureBridge,
  live: measureLive,
  visitor: measureVisitor,
  light: measureLight,
  rewind: measureRewind,
  replay: measureReplay,
};
const command = readCommand();
if (command.type === 'help') {
  console.log(usage);
} else {
  const { type, keys, json } = command;
  const environment = {
    ...(type === 'tab' || type === 'visitor' || type === 'light' || type === 'replay'
      ? await describeBrowser()
      : {}),
    ...(await describeHost()),
  };
  const onStart = (started: readonly string[]) => console.error(`  measures ${started.join(', ')}`);
  const figures = await measures[type](keys, { ...command, onStart });
  console.error(`\n${formatTable(figures, keys)}\n`);
  if (json) console.log(formatJson(figures, { keys, environment }));
  if (keys.some((key) => isMissing(figures[key]))) process.exitCode = 1;
}

function readCommand(): Command {
  try {
    return parseCommandLine(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    return process.exit(2);
  }
}
