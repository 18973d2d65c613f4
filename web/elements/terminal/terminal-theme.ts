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
 * The terminal's colours as the page's tokens have them now, inside `root`. A custom property keeps
 * its `light-dark()` unresolved, so each is read as the colour of an element: all of them are there
 * before the first is read, since the browser computes styles anew after every change.
 */
export function readTerminalTheme(root: DocumentFragment | Element): ITheme {
  const probes = Object.entries(tokens).map(([key, token]) => {
    const probe = document.createElement('span');
    probe.style.color = `var(--cp-term-${token})`;
    return [key, probe] as const;
  });
  const all = document.createElement('span');
  all.hidden = true;
  all.append(...probes.map(([, probe]) => probe));
  root.append(all);
  const theme = Object.fromEntries(probes.map(([key, probe]) => [key, getComputedStyle(probe).color]));
  all.remove();
  return theme;
}
