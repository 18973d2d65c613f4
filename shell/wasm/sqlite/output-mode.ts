/** How rows are shown, by the names of `.mode`. */
export const outputModes = [
  'ascii',
  'box',
  'column',
  'csv',
  'html',
  'insert',
  'json',
  'line',
  'list',
  'markdown',
  'quote',
  'table',
  'tabs',
] as const;

export type OutputMode = (typeof outputModes)[number];

export function isOutputMode(name: string): name is OutputMode {
  return outputModes.some((mode) => mode === name);
}

/** What the settings of the command line say about rows. */
export interface RowSettings {
  mode: OutputMode;
  headers: boolean;
  /** Whether somebody has said so, or a mode. */
  areHeadersSet: boolean;
  columnSeparator: string;
  rowSeparator: string;
  nullText: string;
  widths: readonly number[];
  /** Of the mode `insert`. */
  table: string;
}

export function defaultRowSettings(): RowSettings {
  return {
    mode: 'list',
    headers: false,
    areHeadersSet: false,
    columnSeparator: '|',
    rowSeparator: '\n',
    nullText: '',
    widths: [],
    table: 'table',
  };
}

/** Sets a mode with the separators that belong to it. */
export function setMode(settings: RowSettings, mode: OutputMode, rowEnd = '\r\n'): void {
  settings.mode = mode === 'tabs' ? 'list' : mode;
  const separators: Partial<Record<OutputMode, readonly [string, string]>> = {
    list: ['|', '\n'],
    quote: [',', '\n'],
    csv: [',', rowEnd],
    tabs: ['\t', '\n'],
    ascii: ['\x1f', '\x1e'],
  };
  const [column, row] = separators[mode] ?? [settings.columnSeparator, settings.rowSeparator];
  settings.columnSeparator = column;
  settings.rowSeparator = row;
}
