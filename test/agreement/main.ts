// `npm run agreement`: how often our shell answers as real bash does, by the public suite of the Oils project.
import { writeFile } from 'node:fs/promises';
import { type Command, chooseCases, parseCommandLine, usage } from './command-line.ts';
import { compareWithBash } from './compare.ts';
import { formatDifferences, formatJson, formatTable } from './report.ts';
import { readSuite } from './suite.ts';

const command = readCommand();
if (command.type === 'help') console.log(usage);
else await compare(command).catch(refuse);

async function compare({
  folder,
  only,
  json,
  differences,
}: Extract<Command, { type: 'compare' }>): Promise<void> {
  const { cases, files } = await readSuite(folder);
  const chosen = chooseCases(cases, only);
  const isTerminal = process.stderr.isTTY === true;
  const onProgress = (shell: string, done: number) => {
    if (isTerminal) process.stderr.write(`\r${shell}: ${done} of ${chosen.length} cases\x1b[K`);
  };
  const { version, comparisons } = await compareWithBash({ cases: chosen, files, onProgress });
  if (isTerminal) process.stderr.write('\r\x1b[K');
  if (differences !== undefined) await writeFile(differences, formatDifferences(comparisons));
  if (json) console.log(formatJson(comparisons, version));
  else {
    if (only.length > 0) process.stdout.write(formatDifferences(comparisons));
    console.log(`${formatTable(comparisons)}\n\nAgainst ${version}`);
  }
}

function readCommand(): Command {
  try {
    return parseCommandLine(process.argv.slice(2));
  } catch (error) {
    return refuse(error as Error);
  }
}

function refuse(error: Error): never {
  console.error(error.message);
  return process.exit(2);
}
