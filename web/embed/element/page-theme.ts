import type { EmbedLook } from '../messages.ts';

/** Custom properties that a frame takes over from the page, where the page sets them on an element or above it. */
const passedOn = [
  ...['ground', 'panel', 'raised', 'hover', 'line', 'text', 'muted', 'accent', 'danger', 'mono', 'sans'],
  ...[
    'ground',
    'text',
    'selection',
    'black',
    'red',
    'green',
    'yellow',
    'blue',
    'magenta',
    'cyan',
    'white',
  ].map((colour) => `term-${colour}`),
  ...['term-bright-black', 'term-bright-white'],
].map((name) => `--cp-${name}`);

/** How the frame of `element` has to look beside it. */
export function pageLook(element: HTMLElement): EmbedLook {
  const style = getComputedStyle(element);
  const properties = passedOn.flatMap((name) => {
    const value = style.getPropertyValue(name).trim();
    return value === '' ? [] : [[name, value] as const];
  });
  return {
    theme: themeOf(element, style),
    readonly: element.hasAttribute('readonly'),
    properties: Object.fromEntries(properties),
  };
}

/** Pages switch their theme by themselves: light text stands on a dark ground. */
function themeOf(element: HTMLElement, style: CSSStyleDeclaration): EmbedLook['theme'] {
  const theme = element.getAttribute('theme');
  if (theme === 'light' || theme === 'dark') return theme;
  if (style.colorScheme === 'light' || style.colorScheme === 'dark') return style.colorScheme;
  const { parentElement } = element;
  if (!parentElement) return 'auto';
  const [red = 0, green = 0, blue = 0] =
    getComputedStyle(parentElement)
      .color.match(/[\d.]+/g)
      ?.map(Number) ?? [];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140 ? 'dark' : 'light';
}

/** Calls `listener` when the page may look differently, until the signal aborts. */
export function watchLook(listener: () => void, signal: AbortSignal): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', listener, { signal });
  const observer = new MutationObserver(listener);
  const attributes = { attributes: true, attributeFilter: ['class', 'data-theme', 'style'] };
  for (const root of [document.documentElement, document.body]) observer.observe(root, attributes);
  signal.addEventListener('abort', () => observer.disconnect());
}
