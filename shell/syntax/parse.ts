import { shellLimits } from '../limits.ts';
import { ShellLimitError } from '../shell-error.ts';
import type { HereDocNode, ScriptNode, StatementNode, WordNode } from './ast.ts';
import { grammar, readLine } from './parser/read-list.ts';
import { readParts } from './parser/read-parts.ts';
import type { ReadProgress } from './parser/read-progress.ts';
import { Reader } from './parser/reader.ts';
import { isStackOverflow } from './stack-overflow.ts';
import { SyntaxProblem } from './syntax-problem.ts';

export { ReadProgress } from './parser/read-progress.ts';
export { print } from './print/print.ts';
export { SyntaxProblem } from './syntax-problem.ts';

/** What is kept of what was parsed: so many sources, and so many characters of them together. */
const cacheLimits = { sources: 1024, characters: 4 * 2 ** 20 };

/** Results by source, of which the oldest are dropped. */
class ParseCache<Result> {
  readonly #results = new Map<string, Result>();
  #characters = 0;

  get(source: string, parseAnew: (source: string) => Result): Result {
    const kept = this.#results.get(source);
    if (kept !== undefined) return kept;
    const result = parseAnew(source);
    if (source.length <= cacheLimits.characters / 4) this.#keep(source, result);
    return result;
  }

  #keep(source: string, result: Result): void {
    this.#results.set(source, result);
    this.#characters += source.length;
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= cacheLimits.sources && this.#characters <= cacheLimits.characters) return;
      this.#results.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}

const scripts = new ParseCache<ScriptNode>();
const subscripts = new ParseCache<WordNode>();
const quotedTexts = new ParseCache<WordNode>();

/** Parses a script. What was parsed lately is kept, within a bound. @throws SyntaxProblem, ShellLimitError */
export function parse(source: string): ScriptNode {
  return scripts.get(source, (text) => withinStack(() => grammar.readScript(createReader(text), undefined)));
}

/** Text as a word that ends with it: blanks and operators are of it, quotes and expansions are what they are. */
export function parseSubscript(source: string): WordNode {
  return subscripts.get(source, (text) => wordOf(text, 'word'));
}

/** Text as between double quotes, in which double quotes are text: what arithmetic has in it. */
export function parseQuotedText(source: string): WordNode {
  return quotedTexts.get(source, (text) => wordOf(text, 'here-document'));
}

function wordOf(source: string, quoting: 'word' | 'here-document'): WordNode {
  const parts = withinStack(() => readParts(createReader(source), { quoting, isEnd: () => false }));
  return { type: 'Word', parts };
}

/** What is nested so deep that it cannot be read is too deep for the limit, too. What is too long is no matter of depth. */
function withinStack<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (isStackOverflow(error)) throw new ShellLimitError('depth', 'a script is nested too deep');
    throw error;
  }
}

function createReader(source: string, options: ScriptReaderOptions = {}): Reader {
  if (source.length > shellLimits.sourceBytes) {
    throw new ShellLimitError('sourceBytes', `a script is longer than ${shellLimits.sourceBytes} bytes`);
  }
  // A zero byte is nothing in a script.
  const text = source.includes('\0') ? source.replaceAll('\0', '') : source;
  return new Reader(text, { ...options, grammar });
}

export interface ScriptReaderOptions {
  /** The number of the source's first line. */
  readonly line?: number;
  /** The text that a command's name stands for, where aliases are expanded. */
  readonly alias?: (name: string) => string | undefined;
  /** Whether `shopt -s extglob` is on by now. */
  readonly extglob?: () => boolean;
  /** Whether the shell is in POSIX mode by now. */
  readonly posix?: () => boolean;
  /** What a reader of the beginning of this source has read already. */
  readonly progress?: ReadProgress;
}

/**
 * A script as a shell reads it: the commands of one line, with those lines that they go on to, are run before the next are
 * read. So a mistake is told after what stands before it was run, and an alias counts from the next line on.
 */
export class ScriptReader {
  readonly #reader: Reader;

  constructor(source: string, options: ScriptReaderOptions = {}) {
    this.#reader = createReader(source, options);
  }

  /** The next commands, or `undefined` at the end. @throws SyntaxProblem, after which there is nothing more; ShellLimitError */
  next(): ScriptNode | undefined {
    return withinStack(() => readLine(this.#reader));
  }

  /** After a problem that is one of its line alone: goes past that line. */
  skipLine(): void {
    this.#reader.skipLine();
  }

  /** Here-documents that went on to the end of the source: more of it is theirs. */
  get openHereDocuments(): readonly HereDocNode[] {
    return this.#reader.open;
  }

  /** Lines that have been read, as they stand in the source: `set -v` prints them. */
  get position(): number {
    return this.#reader.at;
  }
}

/** All statements before a mistake, and the mistake: for those who need no aliases. */
export function parseUntilProblem(source: string): {
  script: ScriptNode;
  problem: SyntaxProblem | undefined;
} {
  const statements: StatementNode[] = [];
  const script: ScriptNode = { type: 'Script', statements };
  try {
    const reader = new ScriptReader(source);
    for (let next = reader.next(); next; next = reader.next()) {
      for (const statement of next.statements) statements.push(statement);
    }
    return { script, problem: undefined };
  } catch (problem) {
    if (problem instanceof SyntaxProblem) return { script, problem };
    throw problem;
  }
}
