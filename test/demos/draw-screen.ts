import type { Terminal as HeadlessTerminal } from '@xterm/headless';
import { Terminal } from '@xterm/headless/lib-headless/xterm-headless.mjs';

/** How much of a terminal the picture shows: its last lines, and the beginnings of those. */
const columns = 56;
const rows = 13;
const cell = { width: 7.2, height: 16, margin: 10 } as const;

/** The last lines that a terminal of this size shows after `output`, as an SVG of a few kilobytes, light or dark as its reader wishes. */
export async function drawScreen(
  output: string,
  size: { readonly columns: number; readonly rows: number },
): Promise<string> {
  const terminal = new Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: 0,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: size.rows }, (_, row) => active.getLine(row))
    .filter((line) => line?.isWrapped === false)
    .map(lineOf);
  terminal.dispose();
  const last = lines.findLastIndex(({ text }) => text !== '') + 1;
  const shown = lines.slice(Math.max(0, last - rows), last);
  const width = Math.round(columns * cell.width + 2 * cell.margin);
  const height = rows * cell.height + 2 * cell.margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>
svg { background: #fcfcfa; }
text { font: 12px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #22261f; white-space: pre; }
.command { font-weight: 600; fill: #1d7441; }
@media (prefers-color-scheme: dark) {
  svg { background: #141613; }
  text { fill: #d4d9d0; }
  .command { fill: #79c893; }
}
</style>
${shown.map(drawLine).filter(Boolean).join('\n')}
</svg>
`;
}

interface Line {
  readonly text: string;
  readonly isCommand: boolean;
}

function lineOf(
  line: NonNullable<ReturnType<HeadlessTerminal['buffer']['active']['getLine']>> | undefined,
): Line {
  const text = line?.translateToString(true, 0, columns) ?? '';
  return { text, isCommand: text.startsWith('$ ') && line?.getCell(0)?.isBold() !== 0 };
}

function drawLine({ text, isCommand }: Line, row: number): string {
  if (text.trim() === '') return '';
  const indent = text.length - text.trimStart().length;
  const x = (cell.margin + indent * cell.width).toFixed(1);
  const y = (cell.margin + (row + 0.75) * cell.height).toFixed(1);
  const width = ((text.length - indent) * cell.width).toFixed(1);
  return `<text x="${x}" y="${y}" textLength="${width}"${isCommand ? ' class="command"' : ''}>${escapeText(text.slice(indent))}</text>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
