import { parseArgs } from 'node:util';
import type { SuiteCase } from './suite.ts';

/** What the command is asked to do. */
export type Command =
  | { readonly type: 'help' }
  | {
      readonly type: 'compare';
      readonly folder: string;
      readonly json: boolean;
      /** Empty: all. */
      readonly only: readonly CaseChoice[];
      /** Where to write all cases that differ. */
      readonly differences?: string;
    };

/** A file of the suite, or one case of it. */
interface CaseChoice {
  readonly file: string;
  readonly index?: number;
}

export const usage: string = `Usage: npm run agreement -- FOLDER [options]

Says how many cases of the Oils suite our shell answers as real bash does: the same standard output and exit
status. FOLDER is a checkout of github.com/oils-for-unix/oils. Real bash is this machine's, in bubblewrap (bwrap); its
answers are kept in ~/.cache/coppice.

Options
  --only FILE[:CASE]        only this file, or this case of it (from 0), with both answers where they differ; repeatable
  --list-differences FILE   writes all cases that differ, with both answers
  --json                    one JSON object on stdout instead of a table
  --help                    this text
`;

/** Reads the command line, without the program's name. @throws RangeError or TypeError that says what is wrong */
export function parseCommandLine(argv: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      'list-differences': { type: 'string' },
    },
    allowPositionals: true,
  });
  const [folder, surplus] = positionals;
  if (values.help || folder === undefined) return { type: 'help' };
  if (surplus !== undefined) throw new RangeError(`Unexpected argument "${surplus}"; try --help`);
  const { json, only, 'list-differences': differences } = values;
  const choices = only.map(parseChoice);
  return {
    type: 'compare',
    folder,
    json,
    only: choices,
    ...(differences === undefined ? {} : { differences }),
  };
}

function parseChoice(text: string): CaseChoice {
  const [, file, digits] = /^(?:spec\/)?([\w-]+)(?:\.test\.sh)?(?::(\d+))?$/.exec(text) ?? [];
  if (file === undefined) throw new RangeError(`--only is "${text}", not a file of the suite or FILE:CASE`);
  return { file, ...(digits === undefined ? {} : { index: Number(digits) }) };
}

/** The cases that were asked for. @throws RangeError of a choice that is no case */
export function chooseCases(cases: readonly SuiteCase[], only: readonly CaseChoice[]): readonly SuiteCase[] {
  if (only.length === 0) return cases;
  const isChosen = (one: SuiteCase, choice: CaseChoice) =>
    one.file === choice.file && (choice.index ?? one.index) === one.index;
  const missing = only.find((choice) => !cases.some((one) => isChosen(one, choice)));
  if (missing) {
    const { file, index } = missing;
    throw new RangeError(
      `No case that concerns bash is ${index === undefined ? `in ${file}` : `${file}:${index}`}`,
    );
  }
  return cases.filter((one) => only.some((choice) => isChosen(one, choice)));
}
