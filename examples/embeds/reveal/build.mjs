// Writes dist: the deck, with reveal.js beside it and the address of a Coppice site in it.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const at = (path) => new URL(path, import.meta.url);
const site = process.env.COPPICE_SITE ?? 'http://localhost:8086/';
mkdirSync(at('dist'), { recursive: true });
cpSync(at('node_modules/reveal.js/dist'), at('dist/reveal'), { recursive: true });
cpSync(at('deck.js'), at('dist/deck.js'));
writeFileSync(at('dist/index.html'), readFileSync(at('deck.html'), 'utf8').replaceAll('%site%', site));
