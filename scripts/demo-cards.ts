import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { demosFolder, type RecordedDemo, readRecordedDemos } from './recorded-demos.ts';

const mark = '%demos%';

/** Puts the demos that were recorded into the page of demos: that page needs no script, and no request for a picture. */
export function demoCards(): Plugin {
  return {
    name: 'demo-cards',
    transformIndexHtml: {
      order: 'pre',
      async handler(html) {
        if (!html.includes(mark)) return html;
        const demos = Object.entries(await readRecordedDemos());
        const cards = await Promise.all(demos.map(([name, demo]) => cardOf(name, demo)));
        return html.replace(mark, () => cards.join('\n'));
      },
    },
  };
}

async function cardOf(name: string, { title, sentence, seconds, image }: RecordedDemo): Promise<string> {
  const picture = await readFile(join(demosFolder, `${name}.svg`), 'utf8');
  const place = image === undefined ? 'a shell' : `a machine of the image ${image.name}`;
  return `<li>
  <h2><a href="../replay/?recording=../demos/${name}.cast.gz">${escapeText(title)}</a></h2>
  <p>${escapeText(sentence)}</p>
  <p class="facts">${length(seconds)} · in ${escapeText(place)}</p>
  ${inPage(picture)}
</li>`;
}

function length(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}

/** A picture with the colours of the page instead of its own. */
function inPage(picture: string): string {
  return picture
    .replace(/<style>.*<\/style>\n/s, '')
    .replace(/ width="\d+" height="\d+"/, ' aria-hidden="true"')
    .trim();
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
