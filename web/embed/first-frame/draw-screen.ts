import type { CellStyle } from './cell-style.ts';
import type { PlainScreen } from './plain-screen.ts';

/** Names of the sixteen colours in custom properties, with what they are where a page sets none. */
const colours = [
  ...[
    ['black', '#22261f', '#343a33'],
    ['red', '#b3261e', '#f0857c'],
    ['green', '#1d7441', '#79c893'],
  ],
  ...[
    ['yellow', '#7f5a00', '#dcb766'],
    ['blue', '#2459a9', '#84b0ea'],
    ['magenta', '#8b3a8f', '#cf9ad6'],
  ],
  ...[
    ['cyan', '#0f6c74', '#74c3c8'],
    ['white', '#666b62', '#c3c9bf'],
    ['bright-black', '#6c7268', '#838b80'],
  ],
].map(([name, light, dark]) => `var(--cp-term-${name}, light-dark(${light}, ${dark}))`);

/** Draws what a screen shows into `target`, as text: the rows that are empty at its end are left out. */
export function drawScreen(target: HTMLElement, screen: PlainScreen): void {
  const rows = screen.lines.map((line) => {
    const row = document.createElement('div');
    let span: HTMLSpanElement | undefined;
    let last: CellStyle | undefined;
    const end = line.findLastIndex(
      ({ text, style }) => text !== ' ' || style.background !== undefined || style.inverse,
    );
    for (const { text, style } of line.slice(0, end + 1)) {
      if (!span || style !== last) {
        span = document.createElement('span');
        paint(span, style);
        row.append(span);
        last = style;
      }
      span.textContent += text;
    }
    if (!span) row.textContent = '\u00a0';
    return { row, isEmpty: !span };
  });
  const last = rows.findLastIndex(({ isEmpty }) => !isEmpty);
  target.replaceChildren(...rows.slice(0, last + 1).map(({ row }) => row));
}

/** By the object model, which a policy against inline styles allows. */
function paint({ style: css }: HTMLElement, style: CellStyle): void {
  const ground = 'var(--cp-term-ground, var(--cp-embed-ground))';
  const foreground = colour(style.foreground);
  const background = colour(style.background);
  css.color = (style.inverse ? (background ?? ground) : foreground) ?? '';
  css.backgroundColor = (style.inverse ? (foreground ?? 'var(--cp-embed-text)') : background) ?? '';
  if (style.bold) css.fontWeight = 'bold';
  if (style.dim) css.opacity = '0.7';
  if (style.italic) css.fontStyle = 'italic';
  if (style.underline) css.textDecoration = 'underline';
}

function colour(value: CellStyle['foreground']): string | undefined {
  if (typeof value === 'string' || value === undefined) return value;
  return colours[value] ?? (value === 15 ? 'var(--cp-embed-text)' : colours[value - 8]);
}
