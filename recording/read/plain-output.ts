/** Control sequences of a terminal (ECMA-48, 5.4), its control strings, which end with BEL or ST, and other controls but tabs and line ends. */
const control = new RegExp(
  [
    '\\x1b\\[[0-?]*[ -/]*[@-~]',
    '\\x1b[\\]PX^_][^\\x07\\x1b]{0,4096}(?:\\x07|\\x1b\\\\)',
    '\\x1b[ -/]*[0-~]',
    '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]',
  ].join('|'),
  'g',
);

/** Output without what moves the cursor, colours and titles: the text that a reader looks for. */
export function plainOutput(data: string): string {
  return data.replaceAll(control, '');
}
