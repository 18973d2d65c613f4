import type { MissingFeature } from './probe-browser.ts';

/** Says in place of the page which features the browser lacks, and what to do. */
export function showMissing(place: Element, missing: readonly MissingFeature[]): void {
  const note = document.createElement('div');
  note.className = 'before';
  note.setAttribute('role', 'alert');
  const list = document.createElement('ul');
  for (const { feature, since } of missing) {
    const item = document.createElement('li');
    item.textContent = `${feature} (${since})`;
    list.append(item);
  }
  note.append('This browser cannot run Coppice. It lacks:', list);
  if (window === window.top) note.append('Open the page in a newer browser. ');
  else note.append(linkToPage(), ' ');
  note.append('Nothing that is stored here was touched.');
  place.replaceWith(note);
}

/** A frame may have less than the page has by itself. */
function linkToPage(): HTMLElement {
  const link = document.createElement('a');
  link.href = location.href;
  link.target = '_blank';
  link.rel = 'noopener';
  link.textContent = 'Open the page by itself.';
  return link;
}
