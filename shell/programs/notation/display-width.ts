const zeroWidth = /^[\p{Cc}\p{Cf}\p{Mn}\p{Me}\udc80-\udcff]$/u;
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;

/** Columns that text takes on a terminal, as `wcwidth` has it. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (character >= ' ' && character <= '~') width += 1;
    else if (!zeroWidth.test(character)) width += wide.test(character) ? 2 : 1;
  }
  return width;
}
