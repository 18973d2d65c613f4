import type { Terminal as HeadlessTerminal, IBufferCell } from '@xterm/headless';
import type { PageTerminal } from './read-page-recording.ts';

/** Makes a terminal of no screen, as xterm's headless module does. */
export type MakeTerminal = new (options: {
  cols: number;
  rows: number;
  scrollback: number;
  allowProposedApi: boolean;
}) => HeadlessTerminal;

/**
 * Draws a terminal as text: nothing that a program writes reaches the clipboard, the title or a link, as there is nothing here that does that
 * (H-9). It becomes part of the page's script as it is, by its source, so it uses nothing from outside of itself.
 */
export class TerminalView {
  readonly element: HTMLPreElement;
  readonly #recorded: PageTerminal;
  readonly #Terminal: MakeTerminal;
  #terminal: HeadlessTerminal;
  /** How many events it has got. */
  #shown = 0;
  #rows: string[] = [];
  #isDrawing = false;

  constructor(recorded: PageTerminal, Terminal: MakeTerminal) {
    this.#recorded = recorded;
    this.#Terminal = Terminal;
    this.element = document.createElement('pre');
    this.element.tabIndex = 0;
    this.element.setAttribute('aria-label', recorded.title);
    this.#terminal = this.#make();
  }

  /** When it gets something next, after what it has got. */
  get next(): number {
    return this.#recorded.events[this.#shown]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Shows the terminal as it was at an instant. */
  show(at: number): void {
    const { events } = this.#recorded;
    const last = events[this.#shown - 1];
    if (last && last.at > at) {
      this.#terminal.dispose();
      this.#terminal = this.#make();
      this.#shown = 0;
    }
    const end = this.#countUntil(at);
    // A keyframe paints all that was before it.
    let from = this.#shown;
    for (let index = end - 1; index > from; index -= 1) if (events[index]?.type === 'keyframe') from = index;
    for (const { type, data, columns, rows } of events.slice(from, end)) {
      if (type === 'keyframe') this.#terminal.reset();
      if (type !== 'output') this.#terminal.resize(columns, rows);
      this.#terminal.write(data);
    }
    this.#shown = end;
    this.#terminal.write('', () => this.#drawSoon());
  }

  /** Sets the size of the text so that its rows fit. */
  fit(width: number): void {
    const size = Math.max(8, Math.min(15, width / (this.#terminal.cols * 0.61)));
    this.element.style.fontSize = `${size.toFixed(2)}px`;
  }

  #make(): HeadlessTerminal {
    const { columns, rows } = this.#recorded;
    const options = { cols: columns, rows, scrollback: 0, allowProposedApi: true };
    return new this.#Terminal(options);
  }

  #countUntil(at: number): number {
    const { events } = this.#recorded;
    let [low, high] = [this.#shown, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((events[middle]?.at ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #drawSoon(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#draw();
    });
  }

  #draw(): void {
    const { rows, buffer } = this.#terminal;
    while (this.element.children.length > rows) this.element.lastChild?.remove();
    while (this.element.children.length < rows) this.element.append(document.createElement('div'));
    this.#rows.length = Math.min(this.#rows.length, rows);
    for (let y = 0; y < rows; y += 1) {
      const spans = this.#spansOf(buffer.active.baseY + y);
      const key = JSON.stringify(spans);
      if (this.#rows[y] === key) continue;
      this.#rows[y] = key;
      this.element.children[y]?.replaceChildren(
        ...spans.map(([text, classes, color, background]) => {
          const span = document.createElement('span');
          span.textContent = text;
          span.className = classes;
          if (color !== '') span.style.color = color;
          if (background !== '') span.style.backgroundColor = background;
          return span;
        }),
      );
    }
  }

  /** Runs of a row that look the same: text, classes, colours. */
  #spansOf(y: number): [string, string, string, string][] {
    const line = this.#terminal.buffer.active.getLine(y);
    const spans: [string, string, string, string][] = [];
    for (let x = 0; x < this.#terminal.cols; x += 1) {
      const cell = line?.getCell(x);
      if (!cell || cell.getWidth() === 0) continue;
      const [classes, color, background] = this.#lookOf(cell);
      const text = cell.getChars() || ' ';
      const last = spans.at(-1);
      if (last && last[1] === classes && last[2] === color && last[3] === background) last[0] += text;
      else spans.push([text, classes, color, background]);
    }
    return spans;
  }

  #lookOf(cell: IBufferCell): [string, string, string] {
    const classes = [
      cell.isBold() ? 'bold' : '',
      cell.isItalic() ? 'italic' : '',
      cell.isDim() ? 'dim' : '',
      cell.isUnderline() ? 'underline' : '',
      cell.isStrikethrough() ? 'strike' : '',
      cell.isInvisible() ? 'invisible' : '',
    ].filter(Boolean);
    const front = cell.isFgDefault() ? '' : this.#color(cell.getFgColor(), cell.isFgRGB());
    const back = cell.isBgDefault() ? '' : this.#color(cell.getBgColor(), cell.isBgRGB());
    if (!cell.isInverse()) return [classes.join(' '), front, back];
    return [classes.join(' '), back || 'var(--screen)', front || 'var(--text)'];
  }

  /** As a colour of CSS: one of 16 that the page names, of a cube of 6 levels, of 24 greys, or any. */
  #color(value: number, isRgb: boolean): string {
    if (isRgb) return `#${value.toString(16).padStart(6, '0')}`;
    if (value < 16) return `var(--color-${value})`;
    const grey = 8 + 10 * (value - 232);
    if (value >= 232) return `rgb(${grey} ${grey} ${grey})`;
    const level = (part: number) => (part === 0 ? 0 : 55 + 40 * part);
    const cube = value - 16;
    return `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`;
  }
}
