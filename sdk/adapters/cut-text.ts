import { limits } from '../../protocol/limits.ts';

/** The beginning and the end of a text that is longer than `most` characters, with a word about what is missing. */
export function cutText(text: string, most: number = limits.modelOutputCharacters): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const [start, end] = [text.slice(0, half), text.slice(-half)];
  const note = `[${text.length - 2 * half} of ${text.length} characters left out]`;
  return `${start}\n${note}\n${end}`.toWellFormed();
}
