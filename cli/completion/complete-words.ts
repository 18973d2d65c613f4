import type { Argument, Command, Option } from 'commander';
import type { KnownNames } from './known-names.ts';

/** A word that the shell may put in place of the last one. */
interface Candidate {
  readonly word: string;
  readonly does: string;
}

/** What there is to complete: words, or names of files, which the shell knows better. */
export type Completion = readonly Candidate[] | 'files';

/** Arguments that are called so name a snapshot, in every command. */
const references = new Set(['ref', 'base', 'from', 'to', 'snapshot', 'tag']);
const files = /file|folder|dir|path|tarball/;

/**
 * Completes the last of `words`, which stand after the program's name and may be cut off or empty. `namesFor` tells
 * names where the words before it say.
 */
export async function completeWords(
  program: Command,
  words: readonly string[],
  namesFor: (options: Readonly<Record<string, string>>) => KnownNames,
): Promise<Completion> {
  const last = words.at(-1) ?? '';
  const { command, given, options, pending, isLiteral } = walk(program, words.slice(0, -1));
  const names = namesFor(options);
  const sandbox = options.sandbox ?? 'default';
  const begun = (candidates: readonly Candidate[]) =>
    candidates.filter(({ word }) => word.startsWith(last) && !/\p{Cc}/u.test(word));
  const complete = async (one: Option | Argument, name: string): Promise<Completion> => {
    if (one.argChoices) return begun(one.argChoices.map((word) => ({ word, does: '' })));
    if (name === 'sandbox') return begun(plain(await names.sandboxes()));
    if (references.has(name)) return begun(plain(await names.references(sandbox)));
    return files.test(name) ? 'files' : [];
  };
  if (pending) return complete(pending, valueName(pending));
  if (!isLiteral && last.startsWith('-')) return begun(optionWords(command));
  const subcommands = command.createHelp().visibleCommands(command);
  if (subcommands.length > 0 && given === 0) {
    return begun(subcommands.map((each) => ({ word: each.name(), does: each.description() })));
  }
  const { registeredArguments: all } = command;
  const argument = all[given] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  return argument ? complete(argument, argument.name()) : [];
}

/** What the words before the last one have said. */
interface Walked {
  readonly command: Command;
  /** How many arguments of it. */
  readonly given: number;
  /** Values of options, by their names in code. */
  readonly options: Readonly<Record<string, string>>;
  /** The option whose value comes next. */
  readonly pending: Option | undefined;
  /** Whether all options are over: `--`. */
  readonly isLiteral: boolean;
}

function walk(program: Command, words: readonly string[]): Walked {
  let command = program;
  let given = 0;
  let pending: Option | undefined;
  let isLiteral = false;
  const options: Record<string, string> = {};
  for (const word of words) {
    if (pending) {
      options[pending.attributeName()] = word;
      pending = undefined;
    } else if (isLiteral || !word.startsWith('-')) {
      const next = given === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next) command = next;
      else given++;
    } else if (word === '--') {
      isLiteral = true;
    } else {
      const [flag, value] = word.split('=', 2);
      const option = command.options.find(({ short, long }) => short === flag || long === flag);
      if (option?.required && value === undefined) pending = option;
      else if (option && value !== undefined) options[option.attributeName()] = value;
    }
  }
  return { command, given, options, pending, isLiteral };
}

/** What its value is called in help: `folder` of `--root <folder>`; a sandbox is named by what the option is called. */
function valueName(option: Option): string {
  const [, name = ''] = /[<[]([\w-]+)/.exec(option.flags) ?? [];
  return option.attributeName() === 'sandbox' ? 'sandbox' : name;
}

function optionWords(command: Command): Candidate[] {
  const options = command.createHelp().visibleOptions(command);
  return options.flatMap(({ long, description }) => (long ? [{ word: long, does: description }] : []));
}

function plain(words: readonly string[]): Candidate[] {
  return words.map((word) => ({ word, does: '' }));
}
