/** Two columns each: East Asian wide and full width, and most emoji (Unicode's `East_Asian_Width`, the ranges that are in use). */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const combining = /^\p{M}|\u200d|\ufe0f$/u;
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /\x01[^\x02]*\x02|\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x1f\x7f]/g;

/** The columns that text takes in a terminal, without escape sequences. */
export function textWidth(text: string): number {
  let columns = 0;
  for (const character of text.replace(invisible, '')) {
    if (combining.test(character)) continue;
    columns += wide.test(character) ? 2 : 1;
  }
  return columns;
}
