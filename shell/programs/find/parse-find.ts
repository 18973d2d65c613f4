import type { ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { ProgramCall } from '../program.ts';
import type { FindActions } from './find-actions.ts';
import type { FindSettings, Predicate } from './find-node.ts';
import { findTests } from './find-tests.ts';

const actions: ReadonlySet<string> = new Set([
  ...[
    '-print',
    '-print0',
    '-printf',
    '-ls',
    '-fprint',
    '-fprint0',
    '-fprintf',
    '-fls',
    '-delete',
    '-prune',
    '-quit',
  ],
  ...['-exec', '-execdir', '-ok', '-okdir'],
]);
/** Actions after which nothing is printed by default. */
const silent: ReadonlySet<string> = new Set(['-prune']);

/** Reads the expression of `find`. @throws ProgramError */
export class FindParser {
  readonly #words: readonly ShellText[];
  readonly #context: {
    readonly call: ProgramCall;
    readonly settings: FindSettings;
    readonly actions: FindActions;
  };
  #at = 0;
  #hasAction = false;
  #startsAtMidnight = false;
  #regexType: 'basic' | 'extended' = 'basic';

  constructor(
    words: readonly ShellText[],
    context: { call: ProgramCall; settings: FindSettings; actions: FindActions },
  ) {
    this.#words = words;
    this.#context = context;
  }

  parse(): Predicate {
    const print = this.#context.actions.make('-print', () => '') ?? (() => true);
    if (this.#words.length === 0) return print;
    const expression = this.#list();
    const rest = this.#words[this.#at];
    if (rest === ')')
      throw new ProgramError("invalid expression; you have used a ')' without a matching '('.");
    if (rest !== undefined) throw new ProgramError(`paths must precede expression: \`${rest}'`);
    if (this.#hasAction) return expression;
    const { settings } = this.#context;
    return async (entry) => (await expression(entry)) && !settings.hasQuit && print(entry);
  }

  #take(...words: string[]): boolean {
    if (!words.includes(this.#words[this.#at] ?? '\0')) return false;
    this.#at += 1;
    return true;
  }

  #list(): Predicate {
    let left = this.#or();
    while (this.#take(',')) {
      const [first, second] = [left, this.#or()];
      left = async (entry) => {
        await first(entry);
        return second(entry);
      };
    }
    return left;
  }

  #or(): Predicate {
    let left = this.#and();
    while (this.#take('-o', '-or')) {
      const [first, second] = [left, this.#and()];
      left = async (entry) => (await first(entry)) || second(entry);
    }
    return left;
  }

  #and(): Predicate {
    const { settings } = this.#context;
    let left = this.#not();
    for (;;) {
      const isNamed = this.#take('-a', '-and');
      const next = this.#words[this.#at];
      const isEnd = next === undefined || [')', '-o', '-or', ','].includes(next);
      if (isEnd && isNamed)
        throw new ProgramError(
          "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '-a'",
        );
      if (isEnd) return left;
      const [first, second] = [left, this.#not()];
      left = async (entry) => (await first(entry)) && !settings.hasQuit && second(entry);
    }
  }

  #not(): Predicate {
    if (this.#take('!', '-not')) {
      const inner = this.#not();
      return async (entry) => !(await inner(entry));
    }
    if (this.#take('(')) {
      if (this.#words[this.#at] === ')')
        throw new ProgramError('invalid expression; empty parentheses are not allowed.');
      const inner = this.#list();
      if (!this.#take(')')) {
        throw new ProgramError(
          "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
        );
      }
      return inner;
    }
    return this.#primary();
  }

  #primary(): Predicate {
    const { call, settings, actions: made } = this.#context;
    const name = this.#words[this.#at];
    if (name === undefined)
      throw new ProgramError('invalid expression; you have used a binary operator with nothing before it.');
    this.#at += 1;
    const argument = (): ShellText => {
      const word = this.#words[this.#at];
      if (word === undefined) throw new ProgramError(`missing argument to \`${name}'`);
      this.#at += 1;
      return word;
    };
    if (actions.has(name)) {
      if (!silent.has(name) && name !== '-quit') this.#hasAction = true;
      const action = made.make(name, argument);
      if (action) return action;
    }
    const isOption = this.#option(name, argument);
    if (isOption) return () => true;
    const test = Object.hasOwn(findTests, name) ? findTests[name] : undefined;
    if (test) {
      const context = {
        call,
        settings,
        startsAtMidnight: this.#startsAtMidnight,
        regexType: this.#regexType,
        argument,
      };
      return test(context, name);
    }
    if (['-o', '-or', '-a', '-and', ',', ')'].includes(name)) {
      throw new ProgramError(
        `invalid expression; you have used a binary operator '${name}' with nothing before it.`,
      );
    }
    if (!name.startsWith('-')) throw new ProgramError(`paths must precede expression: \`${name}'`);
    throw new ProgramError(`unknown predicate \`${name}'`);
  }

  /** What holds for the whole search. */
  #option(name: ShellText, argument: () => ShellText): boolean {
    const { settings } = this.#context;
    switch (name) {
      case '-maxdepth':
      case '-mindepth': {
        const text = argument();
        if (!/^\d+$/.test(text))
          throw new ProgramError(
            `Expected a positive decimal integer argument to ${name}, but got ${quoteName(text)}`,
          );
        if (name === '-maxdepth') settings.maxDepth = Number(text);
        else settings.minDepth = Number(text);
        return true;
      }
      case '-depth':
      case '-d':
        settings.isDepthFirst = true;
        return true;
      case '-follow':
        settings.follows = 'always';
        return true;
      case '-daystart':
        this.#startsAtMidnight = true;
        return true;
      case '-regextype': {
        const type = argument();
        this.#regexType = /extended|egrep|awk/.test(type) ? 'extended' : 'basic';
        return true;
      }
      case '-mount':
      case '-xdev':
      case '-noleaf':
      case '-warn':
      case '-nowarn':
      case '-ignore_readdir_race':
      case '-noignore_readdir_race':
        return true;
      default:
        return false;
    }
  }
}
