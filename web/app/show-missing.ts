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
  note.append('Open the page in a newer browser. Nothing that is stored here was touched.');
  place.replaceWith(note);
}
