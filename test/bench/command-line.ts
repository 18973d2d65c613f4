import { parseArgs } from 'node:util';
import { type FigureKey, figureKeys } from './goals.ts';

/** What the command is asked to do. */
export type Command =
  | { readonly type: 'help' }
  | {
      readonly type: 'tab';
      readonly json: boolean;
      readonly runs: number;
      readonly only: readonly FigureKey[];
    };

const mostRuns = 100;

export const usage: string = `Usage: npm run bench -- tab [options]

Measures the machine in the tab, in real Chromium where that is where it runs, and compares it by
ratios taken in one run. A table goes to stderr.

Options
  --json              one JSON object on the last line of stdout: a number for each key, and details
  --only key,key      only these: ${figureKeys.join(' ')}
  --runs N            how often each side is measured, ${mostRuns} at most (default: 5)
  --help              this text
`;

/** Reads the command line, without the program's name. @throws RangeError or TypeError that says what is wrong */
export function parseCommandLine(argv: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
      only: { type: 'string' },
      runs: { type: 'string', default: '5' },
    },
    allowPositionals: true,
  });
  if (values.help || positionals.length === 0) return { type: 'help' };
  const [suite, surplus] = positionals;
  if (suite !== 'tab') throw new RangeError(`There is no benchmark "${suite}"; try --help`);
  if (surplus !== undefined) throw new RangeError(`Unexpected argument "${surplus}"`);
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1 || runs > mostRuns) {
    throw new RangeError(`--runs is ${values.runs}, not a number from 1 to ${mostRuns}`);
  }
  return { type: 'tab', json: values.json, runs, only: values.only?.split(',').map(parseKey) ?? figureKeys };
}

function parseKey(text: string): FigureKey {
  const key = figureKeys.find((known) => known === text);
  if (key) return key;
  throw new RangeError(`There is no figure "${text}"; there are ${figureKeys.join(', ')}`);
}
