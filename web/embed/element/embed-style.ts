/** Of both elements. Custom properties with a fallback are those that pages may set; a sheet made here is no inline style for their policies. */
const css = `
:host {
  --cp-embed-ground: var(--cp-ground, light-dark(#fcfcfa, #141613));
  --cp-embed-panel: var(--cp-panel, light-dark(#f5f5f1, #191b18));
  --cp-embed-text: var(--cp-text, light-dark(#1b1e1a, #dde1da));
  --cp-embed-muted: var(--cp-muted, light-dark(#5a6057, #9aa297));
  --cp-embed-line: var(--cp-line, light-dark(#deded6, #2c302b));
  --cp-embed-accent: var(--cp-accent, light-dark(#1d7441, #68c08a));
  --cp-embed-mono: var(--cp-mono, ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace);
  display: block;
  margin: 1rem 0;
  border: 1px solid var(--cp-embed-line);
  border-radius: var(--cp-radius, 4px);
  background: var(--cp-embed-ground);
  color: var(--cp-embed-text);
  font: 0.8125rem / 1.45 var(--cp-sans, system-ui, sans-serif);
  overflow: hidden;
}
:host([hidden]), [hidden] { display: none !important; }
*, *::before, *::after { box-sizing: border-box; }
.bar {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.5rem;
  padding: 0.25rem 0.5rem;
  border-bottom: 1px solid var(--cp-embed-line);
  background: var(--cp-embed-panel);
}
.bar .space { flex: 1; }
button {
  min-height: 1.625rem; padding: 0 0.5rem;
  border: 1px solid transparent; border-radius: 3px;
  background: none; color: inherit; font: inherit; cursor: pointer;
}
button:hover { background: var(--cp-embed-line); }
button:disabled { opacity: 0.5; cursor: default; }
button:focus-visible, textarea:focus-visible { outline: 2px solid var(--cp-embed-accent); outline-offset: -2px; }
button.main { border-color: var(--cp-embed-accent); color: var(--cp-embed-accent); font-weight: 600; }
button[aria-selected="true"] { border-bottom-color: var(--cp-embed-accent); }
.badge { padding: 0 0.375rem; border-radius: 3px; color: var(--cp-embed-muted); border: 1px solid var(--cp-embed-line); font-size: 0.75rem; }
.editor {
  display: block; width: 100%; max-height: 24rem; margin: 0; padding: 0.5rem 0.75rem;
  border: 0; border-bottom: 1px solid var(--cp-embed-line); resize: vertical;
  background: var(--cp-embed-ground); color: inherit;
  font: 0.8125rem / 1.5 var(--cp-embed-mono); tab-size: 4; white-space: pre; overflow: auto;
  field-sizing: content;
}
.frame { position: relative; }
iframe { display: block; width: 100%; height: 10rem; border: 0; color-scheme: normal; }
.cover { display: block; width: 100%; min-height: 4rem; padding: 0.75rem; text-align: start; }
.cover:hover { background: none; }
.screen {
  margin: 0; padding: 0.5rem 0.75rem; overflow: hidden;
  background: var(--cp-term-ground, var(--cp-embed-ground)); color: var(--cp-term-text, var(--cp-embed-text));
  font: 0.8125rem / 1.2 var(--cp-embed-mono); white-space: pre;
}
.play { position: absolute; inset: 0; margin: auto; width: 4rem; height: 4rem; border-radius: 50%; background: var(--cp-embed-panel); font-size: 1.25rem; }
.note { margin: 0; padding: 0.25rem 0.75rem; border-top: 1px solid var(--cp-embed-line); color: var(--cp-embed-muted); overflow-wrap: anywhere; }
.note:empty { display: none; }
.note ul { margin: 0; padding: 0; list-style: none; font-family: var(--cp-embed-mono); max-height: 12rem; overflow: auto; }
`;

let sheet: CSSStyleSheet | undefined;

export function embedStyle(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}
