import { ShellError } from '../../shell-error.ts';
import { decodeText, type ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { nameInMessage } from '../messages/quote-name.ts';
import { isDirectoryOperand } from '../paths/operands.ts';
import type { Program } from '../program.ts';
import { checkLineCount, heldLines } from '../streams/held-lines.ts';
import { readInput } from '../streams/input.ts';
import { grepFiles } from './grep-files.ts';
import { type GrepKey, grepOptions } from './grep-options.ts';
import { LineMatcher, type MatchRules } from './line-matcher.ts';
import { type SearchStyle, searchFile } from './search-file.ts';

export const grep: Program = grepProgram('basic');
export const egrep: Program = grepProgram('extended');
export const fgrep: Program = grepProgram('fixed');

function grepProgram(usual: MatchRules['syntax']): Program {
  return defineProgram({
    usage: '[OPTION]... PATTERNS [FILE]...',
    summary: 'Search for PATTERNS in each FILE.',
    options: grepOptions,
    usageStatus: 2,
    // Digits are lines of context: `-2`, `-n3`.
    rewrite: (args) =>
      args.flatMap((argument) => (/^-\d+$/.test(argument) ? [`-C${argument.slice(1)}`] : [argument])),
    run: (invocation) => search(invocation, usual),
  });
}

async function search(invocation: Invocation<GrepKey>, usual: MatchRules['syntax']): Promise<number> {
  const { call, options: given, out } = invocation;
  const isSilent = given.has('noMessages');
  const warn = isSilent ? async () => {} : invocation.warn;
  const quietly = { ...invocation, warn };
  const { patterns, files } = await patternsOf(invocation);
  const syntax = given.last('basic', 'extended', 'fixed', 'perl') ?? usual;
  const matcher = new LineMatcher(patterns, {
    syntax,
    ignoresCase: given.last('ignoreCase', 'noIgnoreCase') === 'ignoreCase',
    extent: given.has('line') ? 'line' : given.has('word') ? 'word' : 'any',
  });
  const action = given.value('directories');
  const isRecursive = given.has('recursive', 'dereference') || action === 'recurse';
  const names = files.length > 0 ? files : [isRecursive ? '.' : '-'];
  const isAnyDirectory = names.some((name) => isDirectoryOperand(call, name));
  const naming = given.last('withName', 'noName');
  const showsName =
    naming === undefined
      ? names.length > 1 || (isRecursive && (isAnyDirectory || files.length === 0))
      : naming === 'withName';
  const style = styleOf(invocation, showsName);
  // GNU grep looks at no file where there is no pattern at all (`-f` of an empty file): it counts nothing, too.
  if (patterns.length === 0 && !given.has('invert') && style.listing !== 'without') return 1;
  let hasMatch = false;
  let hasFailed = false;
  for await (const { name, isImplied } of grepFiles(quietly, names, {
    isRecursive,
    isBare: files.length === 0,
  })) {
    if (isImplied === 'missing') {
      hasFailed = true;
      continue;
    }
    const label = name === '-' ? (given.value('label') ?? '(standard input)') : name;
    if (name !== '-' && !isRecursive && isDirectoryOperand(call, name)) {
      if (action === 'skip') continue;
      await warn(`${name}: Is a directory`);
      hasFailed = true;
      if (style.listing === 'without') out.add(`${label}\n`);
      continue;
    }
    const isDone = await withInput(
      quietly,
      { name, opening: nameOf(name), reading: nameOf(name) },
      async (file) => {
        const isFound = await searchFile(file, { matcher, style, out, label, call, warn: invocation.warn });
        hasMatch ||= isFound;
      },
    );
    if (!isDone) hasFailed = true;
    if (hasMatch && style.isQuiet) return 0;
  }
  await out.flush();
  if (hasFailed && !(hasMatch && style.isQuiet)) return 2;
  return hasMatch ? 0 : 1;
}

function nameOf(name: ShellText): ShellText {
  return name === '-' ? '(standard input)' : nameInMessage(name).replace(/^'(.*)'$/, '$1');
}

async function patternsOf({
  call,
  options: given,
  operands,
}: Invocation<GrepKey>): Promise<{ patterns: readonly ShellText[]; files: readonly ShellText[] }> {
  const patterns: ShellText[] = [];
  const add = (lines: readonly ShellText[]) => {
    for (const line of lines) patterns.push(line);
    checkLineCount(patterns.length);
  };
  for (const { key, value = '' } of given.given) {
    if (key === 'regexp') add(heldLines(value));
    if (key !== 'file') continue;
    const lines = heldLines(decodeText(await readPatterns(value)));
    if (lines.at(-1) === '') lines.pop();
    add(lines);
  }
  if (given.has('regexp', 'file')) return { patterns, files: operands };
  const [first, ...files] = operands;
  if (first === undefined) throw new UsageError('no pattern');
  return { patterns: first.split('\n'), files };

  async function readPatterns(name: ShellText): Promise<Uint8Array> {
    try {
      return await readInput(call, name);
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      throw new ProgramError(`${name}: ${error.message}`, { status: 2 });
    }
  }
}

function styleOf({ options: given, call }: Invocation<GrepKey>, showsName: boolean): SearchStyle {
  const number = (key: 'most' | 'before' | 'after' | 'context') => {
    const text = given.value(key);
    if (text === undefined) return undefined;
    if (!/^[-+]?\d+$/.test(text)) {
      throw new ProgramError(
        key === 'most' ? 'invalid max count' : `${text}: invalid context length argument`,
        { status: 2 },
      );
    }
    return Number(text);
  };
  const listing = given.last('without', 'names');
  const color = given.value('color') ?? (given.has('color') ? 'auto' : 'never');
  const kind = given.last('binaryFiles', 'text', 'withoutBinary');
  const binary =
    kind === 'text'
      ? 'text'
      : kind === 'withoutBinary'
        ? 'without-match'
        : (given.value('binaryFiles') ?? 'binary');
  const context = number('context') ?? 0;
  const isQuiet = given.has('quiet');
  const most = number('most');
  return {
    isInverted: given.has('invert'),
    most: most === undefined || most < 0 ? Number.POSITIVE_INFINITY : most,
    listing:
      listing === 'names' || listing === 'without' ? listing : given.has('count') ? 'count' : undefined,
    isQuiet,
    showsOnlyMatches: given.has('only'),
    showsName,
    showsNumber: given.has('number'),
    showsOffset: given.has('offset'),
    before: number('before') ?? context,
    after: number('after') ?? context,
    separator:
      given.last('separator', 'noSeparator') === 'noSeparator'
        ? undefined
        : (given.value('separator') ?? '--'),
    delimiter: given.has('zero') ? '\0' : '\n',
    nameEnd: given.has('null') ? '\0' : undefined,
    hasTab: given.has('tabs'),
    isColored: color === 'always' || (color === 'auto' && (call.stdout.isTerminal ?? false)),
    isBuffered: !given.has('buffered'),
    binary: binary === 'text' || binary === 'without-match' ? binary : 'binary',
  };
}
