import { type ITerminalInitOnlyOptions, type ITerminalOptions, Terminal } from '@xterm/xterm';
import { limits } from '../../../protocol/limits.ts';

/** What of xterm.js its own interface does not reach: parameters that can be changed, and the lines of links. */
interface XtermCore {
  registerCsiHandler(
    id: { final: string },
    handler: (params: { readonly params: Int32Array }) => boolean,
  ): unknown;
  readonly _oscLinkService: {
    registerLink(link: { readonly id?: string; readonly uri: string }): number;
    addLineToLink(link: number, line: number): void;
    readonly _dataByLinkId: ReadonlyMap<number, { readonly lines: readonly unknown[] }>;
  };
  /** Answers with bits: whether a character joins the one before it, then the width of both. */
  readonly unicodeService: { charProperties(codePoint: number, before: number): number };
}

/** `OSC` of titles (0, 1, 2), colours (4, 10 to 12, 104) and links (8), whose text xterm.js takes apart. */
const textCommands = [0, 1, 2, 4, 8, 10, 11, 12, 104];
/** What `registerLink` of xterm.js answers with is the link of the next characters; 0 is none. */
const noLink = 0;
const joins = 0b001;
const oneColumn = 0b010;

/**
 * A terminal in which no control sequence costs more than a screen does. xterm.js repeats, scrolls and inserts as often
 * as a sequence says, up to 2^31 times, which stops the page, and stops it again when the screen is shown after a reload.
 * All output goes through `write`, in pieces small enough that xterm.js lets the page work between them.
 */
export class BoundedTerminal extends Terminal {
  constructor(options: ITerminalOptions & ITerminalInitOnlyOptions) {
    super(options);
    const core = (this as unknown as { readonly _core: XtermCore })._core;
    this.#boundCounts(core);
    this.#boundLinks(core);
    boundCells(core);
    for (const command of textCommands)
      this.parser.registerOscHandler(command, (text) => text.length > limits.terminalCommandCharacters);
  }

  override write(data: string | Uint8Array, callback?: () => void): void {
    const size = limits.terminalWriteBytes;
    const last = Math.max(0, Math.ceil(data.length / size) - 1) * size;
    for (let at = 0; at < last; at += size) super.write(pieceOf(data, at, at + size));
    super.write(pieceOf(data, last, data.length), callback);
  }

  /** Handlers that are registered last run first: these make a count less, and leave the rest to those of xterm.js. */
  #boundCounts(core: XtermCore): void {
    const most: Readonly<Record<string, () => number>> = {
      b: () => this.#mostRepeats(), // REP
      I: () => this.cols, // CHT
      Z: () => this.cols, // CBT
      L: () => this.rows, // IL
      M: () => this.rows, // DL
      S: () => this.rows, // SU
      T: () => this.rows, // SD
    };
    for (const [final, mostOf] of Object.entries(most))
      core.registerCsiHandler({ final }, ({ params }) => {
        if ((params[0] ?? 0) > 1) params[0] = Math.min(params[0] ?? 0, mostOf());
        return false;
      });
  }

  /** REP repeats a cell with all its combining characters. */
  #mostRepeats(): number {
    const { cursorX, cursorY, baseY } = this.buffer.active;
    const line = this.buffer.active.getLine(baseY + cursorY);
    const lengths = [1, 2].map((back) => line?.getCell(cursorX - back)?.getChars().length ?? 0);
    return Math.max(1, Math.floor((this.cols * this.rows) / Math.max(1, ...lengths)));
  }

  /** xterm.js looks at each line of a link for each character in it, and moves all lines of links with each new line. */
  #boundLinks(core: XtermCore): void {
    const links = core._oscLinkService;
    const register = links.registerLink.bind(links);
    const addLine = links.addLineToLink.bind(links);
    const makeRoom = (): void => {
      while (this.markers.length >= limits.terminalLinkLines) this.markers[0]?.dispose();
    };
    links.registerLink = (link) => {
      makeRoom();
      return link.uri.length > limits.sharedUrlCharacters ? noLink : register(link);
    };
    links.addLineToLink = (link, line) => {
      if ((links._dataByLinkId.get(link)?.lines.length ?? 0) >= this.rows) return;
      makeRoom();
      addLine(link, line);
    };
  }
}

/** The time to draw a cell grows with the square of its characters: past a number of them, they go into the next cell. */
function boundCells({ unicodeService }: XtermCore): void {
  const propertiesOf = unicodeService.charProperties.bind(unicodeService);
  let joined = 0;
  unicodeService.charProperties = (codePoint, before) => {
    const properties = propertiesOf(codePoint, before);
    joined = properties & joins ? joined + 1 : 0;
    if (joined < limits.terminalCellCharacters) return properties;
    joined = 0;
    return oneColumn;
  };
}

function pieceOf(data: string | Uint8Array, from: number, to: number): string | Uint8Array {
  return typeof data === 'string' ? data.slice(from, to) : data.subarray(from, to);
}
