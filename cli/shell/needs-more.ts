import { ScriptReader, SyntaxProblem } from '../../shell/syntax/parse.ts';

/** Whether bash would wait for another line: an open quote, a block, a here-document, a line that ends in `\`, `|` or `&&`. */
export function needsMore(text: string): boolean {
  if (/(?<!\\)(?:\\\\)*\\$/.test(text)) return true;
  try {
    const reader = new ScriptReader(`${text}\n`);
    while (reader.next() !== undefined);
    return reader.openHereDocuments.length > 0;
  } catch (error) {
    // Bash itself says what is wrong with anything else.
    return error instanceof SyntaxProblem && error.isIncomplete;
  }
}
