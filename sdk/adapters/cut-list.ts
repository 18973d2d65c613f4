import { limits } from '../../protocol/limits.ts';

/** The first of these texts, as many as have `limits.modelOutputCharacters` together. */
export function cutList(texts: readonly string[]): string[] {
  let length = 0;
  const end = texts.findIndex((text) => {
    length += text.length;
    return length > limits.modelOutputCharacters;
  });
  return texts.slice(0, end < 0 ? texts.length : end);
}
