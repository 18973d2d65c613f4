import { limits } from '../../protocol/limits.ts';

/** What of a terminal of xterm.js is looked at, whether it has a screen or none. */
export interface BoundableTerminal {
  readonly cols: number;
  readonly rows: number;
  readonly markers: readonly { dispose(): void }[];
  readonly buffer: {
    readonly active: {
      readonly cursorX: number;
      readonly cursorY: number;
      readonly baseY: number;
      getLine(y: number): { getCell(x: number): { getChars(): string } | undefined } | undefined;
    };
  };
  readonly parser: {
    registerOscHandler(command: number, handler: (text: string) => boolean): unknown;
  };
}

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
 * Makes that no control sequence costs a terminal more than a screen does. xterm.js repeats, scrolls and inserts as often
 * as a sequence says, up to 2^31 times, which stops its thread, and stops it again when the screen is shown after a reload.
 */
export function boundTerminal(terminal: BoundableTerminal): void {
  const core = (terminal as unknown as { readonly _core: XtermCore })._core;
  boundCounts(terminal, core);
  boundLinks(terminal, core);
  boundCells(core);
  for (const command of textCommands)
    terminal.parser.registerOscHandler(command, (text) => text.length > limits.terminalCommandCharacters);
}

/** Handlers that are registered last run first: these make a count less, and leave the rest to those of xterm.js. */
function boundCounts(terminal: BoundableTerminal, core: XtermCore): void {
  const most: Readonly<Record<string, () => number>> = {
    b: () => mostRepeats(terminal), // REP
    I: () => terminal.cols, // CHT
    Z: () => terminal.cols, // CBT
    L: () => terminal.rows, // IL
    M: () => terminal.rows, // DL
    S: () => terminal.rows, // SU
    T: () => terminal.rows, // SD
  };
  for (const [final, mostOf] of Object.entries(most))
    core.registerCsiHandler({ final }, ({ params }) => {
      if ((params[0] ?? 0) > 1) params[0] = Math.min(params[0] ?? 0, mostOf());
      return false;
    });
}

/** REP repeats a cell with all its combining characters. */
function mostRepeats({ buffer, cols, rows }: BoundableTerminal): number {
  const { cursorX, cursorY, baseY } = buffer.active;
  const line = buffer.active.getLine(baseY + cursorY);
  const lengths = [1, 2].map((back) => line?.getCell(cursorX - back)?.getChars().length ?? 0);
  return Math.max(1, Math.floor((cols * rows) / Math.max(1, ...lengths)));
}

/** xterm.js looks at each line of a link for each character in it, and moves all lines of links with each new line. */
function boundLinks(terminal: BoundableTerminal, core: XtermCore): void {
  const links = core._oscLinkService;
  const register = links.registerLink.bind(links);
  const addLine = links.addLineToLink.bind(links);
  const makeRoom = (): void => {
    while (terminal.markers.length >= limits.terminalLinkLines) terminal.markers[0]?.dispose();
  };
  links.registerLink = (link) => {
    makeRoom();
    return link.uri.length > limits.sharedUrlCharacters ? noLink : register(link);
  };
  links.addLineToLink = (link, line) => {
    if ((links._dataByLinkId.get(link)?.lines.length ?? 0) >= terminal.rows) return;
    makeRoom();
    addLine(link, line);
  };
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
