import type { EmbedFile } from '../embed-file.ts';
import { embedLimits } from '../limits.ts';

/**
 * The files of an element: those of its attribute `files`, JSON such as `{"main.c": "…"}`, and its children with `data-file`, whose text is the
 * content: `<pre data-file="main.c">`. What is no file is left out.
 */
export function readFiles(element: HTMLElement): EmbedFile[] {
  const given = Object.entries(parseJson(element.getAttribute('files')));
  const children = [...element.querySelectorAll<HTMLElement>('[data-file]')].map(
    (child) => [child.dataset.file ?? '', textOf(child)] as const,
  );
  const files = new Map<string, string>();
  for (const [path, text] of [...given, ...children]) {
    const isText = typeof text === 'string' && text.length <= embedLimits.fileCharacters;
    if (isText && isPath(path) && files.size < embedLimits.files) files.set(path, text);
  }
  return [...files].map(([path, text]) => ({ path, text }));
}

/** Below the home directory, and nowhere else. */
function isPath(path: string): boolean {
  const names = path.split('/');
  return (
    path.length <= 1_000 &&
    names.every((name) => name !== '' && name !== '.' && name !== '..' && !name.includes('\0'))
  );
}

/** HTML begins a block of code on the line after its tag. */
function textOf(child: HTMLElement): string {
  const text = (child.textContent ?? '').replace(/^\n/, '');
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function parseJson(text: string | null): object {
  if (text === null) return {};
  try {
    return Object(JSON.parse(text));
  } catch {
    console.warn('coppice-sandbox: its attribute "files" is no JSON');
    return {};
  }
}
