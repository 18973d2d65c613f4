import { fromLatin1 } from '../latin1.ts';
import { reportType } from './preview-messages.ts';

/** Which errors of previewed pages are forwarded, as the package says it. */
export type ForwardErrors = boolean | 'exceptions-only';

/** A script that the application wants in every previewed page. */
export interface PreviewScript {
  readonly source: string;
  readonly type: 'module' | 'importmap' | undefined;
  readonly isDeferred: boolean;
  readonly isAsync: boolean;
}

/** What is put into previewed pages: nothing where nothing is wanted. */
export function pageScripts(forward: ForwardErrors, script: PreviewScript | undefined): string {
  const reporter =
    forward === false ? '' : `<script>(${reportErrors})(${JSON.stringify({ reportType, forward })})</script>`;
  return reporter + (script === undefined ? '' : scriptElement(script));
}

/**
 * Puts `scripts` into the first piece of a page: after the beginning of its head, or of the page where there is none yet.
 * The bytes may be of any encoding that extends ASCII.
 */
export function insertScripts(page: Uint8Array, scripts: string): Uint8Array {
  const text = fromLatin1(page.subarray(0, searchedBytes));
  const place = /<head(?:\s[^>]*)?>/i.exec(text) ?? /^\s*<!doctype[^>]*>/i.exec(text);
  const at = place ? place.index + place[0].length : 0;
  const bytes = new TextEncoder().encode(scripts);
  const whole = new Uint8Array(page.length + bytes.length);
  whole.set(page.subarray(0, at));
  whole.set(bytes, at);
  whole.set(page.subarray(at), at + bytes.length);
  return whole;
}

const searchedBytes = 16_384;

function scriptElement({ source, type, isDeferred, isAsync }: PreviewScript): string {
  const attributes = [
    `src="${source.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;')}"`,
    ...(type === undefined ? [] : [`type="${type}"`]),
    ...(isDeferred ? ['defer'] : []),
    ...(isAsync ? ['async'] : []),
  ];
  return `<script ${attributes.join(' ')}></script>`;
}

/** Runs in the previewed page: its text is put there, so it refers to nothing here. */
const reportErrors = `({ reportType, forward }) => {
  const report = (message) => {
    const { pathname, search, hash } = location;
    parent.postMessage({ type: reportType, message: { ...message, pathname, search, hash } }, location.origin);
  };
  addEventListener('error', ({ message, error }) =>
    report({ type: 'PREVIEW_UNCAUGHT_EXCEPTION', message, stack: error?.stack }));
  addEventListener('unhandledrejection', ({ reason }) =>
    report({ type: 'PREVIEW_UNHANDLED_REJECTION', message: String(reason?.message ?? reason), stack: reason?.stack }));
  if (forward !== true) return;
  const print = console.error;
  console.error = (...values) => {
    print.apply(console, values);
    report({ type: 'PREVIEW_CONSOLE_ERROR', args: values.map(String), stack: new Error().stack });
  };
}`;
