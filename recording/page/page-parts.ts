import { playPage } from './play-page.ts';
import { readPageRecording } from './read-page-recording.ts';
import { TerminalView } from './terminal-view.ts';

/**
 * The script of a page, from the source of its parts and of xterm's headless module (CommonJS): nothing has to be built for it, and it is in
 * the bundled program as well, which is not minified.
 */
export function pageScript(terminalModule: string): string {
  const terminal = terminalModule.replace(/^\/\/# sourceMappingURL=.*$/m, '');
  const parts = `{ Terminal: xterm.Terminal, View: ${TerminalView}, read: ${readPageRecording} }`;
  return `'use strict';
const xterm = ((exports) => { ${terminal}
; return exports; })({});
(${playPage})(${parts}).catch((error) => {
  document.getElementById('status').textContent = 'Cannot play this recording: ' + error.message;
});`.replaceAll('</', '<\\/');
}

export const pageStyle = `
:root { color-scheme: light dark; --back: #fbfbfa; --text: #1d1f21; --faint: #66696d; --line: #dcdcd8; --accent: #1f6f54; --bad: #b3261e; --screen: #ffffff;
  --color-0: #1d1f21; --color-1: #b3261e; --color-2: #1f6f2e; --color-3: #8a6100; --color-4: #1c5fb0; --color-5: #87308f; --color-6: #0b6e77; --color-7: #66696d;
  --color-8: #55585c; --color-9: #c4352c; --color-10: #2a7d39; --color-11: #946a00; --color-12: #2a6fc4; --color-13: #9a3fa3; --color-14: #137d87; --color-15: #1d1f21; }
@media (prefers-color-scheme: dark) { :root { --back: #161718; --text: #e4e4e1; --faint: #9a9da1; --line: #313336; --accent: #6fcf9f; --bad: #ff8a80; --screen: #0e0f10;
  --color-0: #55585c; --color-1: #ff8a80; --color-2: #8fd694; --color-3: #e6c26a; --color-4: #8ab8f5; --color-5: #d7a0dd; --color-6: #7fd0d8; --color-7: #c9cac6;
  --color-8: #85888c; --color-9: #ffa69e; --color-10: #a9e2ad; --color-11: #f0d48c; --color-12: #a8cbf8; --color-13: #e2b9e6; --color-14: #9fdde3; --color-15: #ffffff; } }
* { box-sizing: border-box; }
body { margin: 0; height: 100dvh; display: grid; grid-template: auto 1fr auto / 1fr minmax(16rem, 26rem); background: var(--back); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
header, footer { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; padding: .5rem .75rem; }
header { border-bottom: 1px solid var(--line); } footer { border-top: 1px solid var(--line); }
h1 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
#tabs { display: flex; gap: .25rem; flex-wrap: wrap; }
#screen { min-width: 0; overflow: auto; padding: .75rem; background: var(--screen); }
pre { margin: 0; font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; line-height: 1.25; width: max-content; }
pre > div { min-height: 1.25em; }
.bold { font-weight: bold; } .italic { font-style: italic; } .dim { opacity: .7; } .underline { text-decoration: underline; } .strike { text-decoration: line-through; } .invisible { visibility: hidden; }
aside { min-width: 0; overflow: auto; border-left: 1px solid var(--line); }
ol { list-style: none; margin: 0; padding: 0; }
li { border-bottom: 1px solid var(--line); padding: .4rem .75rem; content-visibility: auto; contain-intrinsic-size: auto 3rem; border-left: 3px solid transparent; }
li[aria-current] { border-left-color: var(--accent); background: color-mix(in srgb, var(--accent) 9%, transparent); }
li button { all: unset; cursor: pointer; font-weight: 600; overflow-wrap: anywhere; }
li.command button, li.call button { font-family: ui-monospace, monospace; font-size: .9em; }
li.failed button { color: var(--bad); } li.thinking, li.system, li.note { color: var(--faint); }
li p { margin: .15rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 12rem; overflow: auto; }
li.call p, li.command p { font-family: ui-monospace, monospace; font-size: .85em; color: var(--faint); }
#position { flex: 1 1 8rem; min-width: 4rem; accent-color: var(--accent); }
#time { font-variant-numeric: tabular-nums; } #status, #hidden { color: var(--faint); margin: 0; padding: 0 .75rem; }
button, select { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 4px; padding: .15rem .6rem; }
button[aria-pressed=true] { border-color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
@media (max-width: 720px) { body { grid-template: auto minmax(8rem, auto) 1fr auto / 1fr; } aside { border-left: 0; border-top: 1px solid var(--line); } }
`;

/** What stands between the head and the recording. */
export const pageBody = `<header><h1 id="title">Recording</h1><div id="tabs" role="group" aria-label="Terminals"></div></header>
<main id="screen"></main>
<aside aria-label="What happened"><ol id="items"></ol><p id="hidden"></p></aside>
<footer><button id="play" type="button">Play</button><input id="position" type="range" min="0" max="0" step="0.01" value="0" aria-label="Position"><span id="time"></span>
<label>Speed <select id="speed"><option value="0.5">½×</option><option value="1" selected>1×</option><option value="2">2×</option><option value="4">4×</option><option value="16">16×</option></select></label>
<label><input id="idle" type="checkbox" checked> Skip pauses</label><p id="status" role="status"></p></footer>
<noscript><p>This page plays a recording by a script, which is in it: allow scripts.</p></noscript>`;
