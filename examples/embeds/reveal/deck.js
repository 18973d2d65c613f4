import Reveal from './reveal/reveal.esm.js';

// Keys that are typed into an embed are not the deck's: a frame has them for itself, and an editor's stay in it.
const isElsewhere = () => document.activeElement?.localName !== 'coppice-sandbox';
await new Reveal().initialize({ hash: true, keyboardCondition: isElsewhere });
