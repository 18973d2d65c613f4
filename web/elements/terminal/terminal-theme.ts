import type { ITheme } from '@xterm/xterm';

const tokens = {
  background: 'ground',
  foreground: 'text',
  cursor: 'text',
  cursorAccent: 'ground',
  selectionBackground: 'selection',
  black: 'black',
  red: 'red',
  green: 'green',
  yellow: 'yellow',
  blue: 'blue',
  magenta: 'magenta',
  cyan: 'cyan',
  white: 'white',
  brightBlack: 'bright-black',
  brightRed: 'red',
  brightGreen: 'green',
  brightYellow: 'yellow',
  brightBlue: 'blue',
  brightMagenta: 'magenta',
  brightCyan: 'cyan',
  brightWhite: 'bright-white',
} as const satisfies { [key in keyof ITheme]: string };

/**
 * The terminal's colours as the page's tokens have them now. A custom property keeps its
 * `light-dark()` unresolved, so each one is read through the colour of `probe`.
 */
export function readTerminalTheme(probe: HTMLElement): ITheme {
  const theme: Record<string, string> = {};
  for (const [key, token] of Object.entries(tokens)) {
    probe.style.color = `var(--cp-term-${token})`;
    theme[key] = getComputedStyle(probe).color;
  }
  probe.style.color = '';
  return theme;
}
