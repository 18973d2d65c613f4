import { createReader } from '../interpret/run-source.ts';
import type { Shell } from '../interpret/shell.ts';
import { shellLimits } from '../limits.ts';
import { ShellLimitError } from '../shell-error.ts';
import type { HereDocNode, ScriptNode } from '../syntax/ast.ts';
import { ReadProgress, type ScriptReader, SyntaxProblem } from '../syntax/parse.ts';
import type { ShellText } from '../text.ts';

/** What lines that were entered make: commands, or the beginning of some. */
export type InputState =
  | { readonly type: 'complete'; readonly scripts: readonly ScriptNode[] }
  | { readonly type: 'incomplete' }
  | { readonly type: 'problem'; readonly problem: SyntaxProblem };

/**
 * Commands of which line comes after line: a terminal's, or a script's by standard input. They are complete as soon as their last line
 * is there. What was read of them is not read again with each line.
 */
export class InputReader {
  readonly #shell: Shell;
  /** The number of the first line. */
  readonly #line: number;
  readonly #progress: ReadProgress = new ReadProgress();
  #source: ShellText = '';
  /** Whether a line may be the last. */
  #mayEnd: (line: ShellText) => boolean = anyLine;
  #isDue = false;
  #isContinued = false;

  constructor(shell: Shell, { line }: { line: number }) {
    this.#shell = shell;
    this.#line = line;
  }

  get source(): ShellText {
    return this.#source;
  }

  /** More lines. @throws ShellLimitError */
  add(lines: ShellText): void {
    this.#source += lines;
    if (this.#source.length > shellLimits.sourceBytes) {
      throw new ShellLimitError('sourceBytes', `a script is longer than ${shellLimits.sourceBytes} bytes`);
    }
    this.#isContinued = /(^|[^\\])(\\\\)*\\\n$/.test(lines);
    this.#isDue ||= this.#mayEnd(lines);
  }

  /** What the lines make by now. */
  state({ isAtEnd }: { isAtEnd: boolean }): InputState {
    if (!isAtEnd && (this.#isContinued || !this.#isDue)) return { type: 'incomplete' };
    const reader = createReader(this.#shell, this.#source, { line: this.#line, progress: this.#progress });
    const scripts: ScriptNode[] = [];
    try {
      for (let script = reader.next(); script; script = reader.next()) {
        if (!isAtEnd && hasOpenHereDocument(script)) return this.#incomplete(reader);
        scripts.push(script);
      }
      return { type: 'complete', scripts };
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) throw error;
      if (!error.isIncomplete || isAtEnd) return { type: 'problem', problem: error };
      return this.#incomplete(reader, error.awaited);
    }
  }

  #incomplete({ openHereDocuments }: ScriptReader, awaited?: string): InputState {
    this.#isDue = false;
    if (openHereDocuments.length > 0) {
      this.#mayEnd = (lines) => lines.split('\n').some((line) => endsOne(openHereDocuments, line));
    } else {
      this.#mayEnd = awaited === undefined ? anyLine : (lines) => lines.includes(awaited);
    }
    return { type: 'incomplete' };
  }
}

function anyLine(): boolean {
  return true;
}

function endsOne(documents: readonly HereDocNode[], line: ShellText): boolean {
  return documents.some(
    ({ delimiter, stripTabs }) => delimiter === (stripTabs ? line.replace(/^\t+/, '') : line),
  );
}

/** Whether a here-document's text went on to the end of the source. */
function hasOpenHereDocument(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasOpenHereDocument);
  if (typeof node !== 'object' || node === null) return false;
  if ('type' in node && node.type === 'HereDoc' && 'terminated' in node) return node.terminated === false;
  return Object.values(node).some(hasOpenHereDocument);
}
