import { SandboxError } from '../../protocol/errors.ts';

/** How many places an error names. */
const namedPlaces = 5;

/** The text with its only occurrence of `from` replaced, and the line where that was. @throws invalid-argument */
export function replaceOnce(
  text: string,
  { from, to, path }: { readonly from: string; readonly to: string; readonly path: string },
): { readonly text: string; readonly line: number } {
  const lines: number[] = [];
  let at = -1;
  for (
    let next = text.indexOf(from);
    next >= 0 && lines.length < namedPlaces;
    next = text.indexOf(from, next + 1)
  ) {
    if (from === '') break;
    at = next;
    lines.push(text.slice(0, next).split('\n').length);
  }
  const [line, ...others] = lines;
  if (line === undefined) {
    throw new SandboxError(
      'invalid-argument',
      `Cannot edit ${path}: the text to replace does not occur in it`,
    );
  }
  if (others.length > 0) {
    const message = `Cannot edit ${path}: the text to replace occurs in lines ${lines.join(', ')}; give more of it`;
    throw new SandboxError('invalid-argument', message, { details: { path, lines } });
  }
  return { text: text.slice(0, at) + to + text.slice(at + from.length), line };
}
