import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { sharedStyles } from '../shared.styles.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { decodeText, type FileText } from './decode-text.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';
import { diffViewStyles } from './diff-view.styles.ts';
import { type Hunk, unifiedHunks } from './unified-hunks.ts';

/** Rows drawn at first, and with each "show more". */
const rowsPerPage = 600;

const signs = { same: ' ', added: '+', deleted: '−' } as const;

/** The unified diff of two versions of a file, `undefined` on a side without the file, or the `hunks` of one. */
export class DiffView extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    oldBytes: { attribute: false },
    newBytes: { attribute: false },
    hunks: { attribute: false },
  };
  static override readonly styles: CSSResultGroup = [sharedStyles, diffViewStyles];

  declare oldBytes: Uint8Array | undefined;
  declare newBytes: Uint8Array | undefined;
  /** A diff that was made elsewhere, instead of the two versions. */
  declare hunks: readonly Hunk[] | undefined;
  #note = '';
  #hunks: readonly Hunk[] = [];
  #skippedAfter = 0;
  #rows = rowsPerPage;

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has('oldBytes') && !changed.has('newBytes') && !changed.has('hunks')) return;
    this.#rows = rowsPerPage;
    this.#hunks = this.hunks ?? [];
    this.#skippedAfter = 0;
    this.#note = this.hunks?.length === 0 ? 'There is no text to compare.' : '';
    if (this.hunks !== undefined) return;
    const before = decodeText(this.oldBytes ?? new Uint8Array());
    const after = decodeText(this.newBytes ?? new Uint8Array());
    this.#note = explain(before, after);
    if (before.type !== 'text' || after.type !== 'text' || this.#note !== '') return;
    const { hunks, skippedAfter } = unifiedHunks(diffLines(before.text, after.text));
    this.#hunks = hunks;
    this.#skippedAfter = skippedAfter;
    if (hunks.length === 0) this.#note = 'The text differs only in its last line break.';
  }

  override render(): TemplateResult {
    if (this.#note !== '') return html`<p class="note">${this.#note}</p>`;
    const rows: TemplateResult[] = [];
    let left = this.#rows;
    for (const hunk of this.#hunks) {
      if (left <= 0) break;
      if (hunk.skippedBefore > 0) rows.push(skippedRow(hunk.skippedBefore));
      for (const line of hunk.lines.slice(0, left)) rows.push(lineRow(line));
      left -= hunk.lines.length;
    }
    if (left > 0 && this.#skippedAfter > 0) rows.push(skippedRow(this.#skippedAfter));
    return html`
      <table aria-label="Text diff" tabindex="0">
        <tbody>
          ${rows}
        </tbody>
      </table>
      ${left < 0 ? html`<button @click=${this.#showMore}>Show ${-left} more lines</button>` : nothing}
    `;
  }

  #showMore(): void {
    this.#rows += rowsPerPage;
    this.requestUpdate();
  }
}

function explain(before: FileText, after: FileText): string {
  if (before.type === 'text' && after.type === 'text') {
    return before.text === after.text ? 'The content is the same.' : '';
  }
  const sizes = `${formatBytes(sizeOf(before))} → ${formatBytes(sizeOf(after))}`;
  const large = before.type === 'too-large' || after.type === 'too-large';
  return large ? `Too large to compare line by line: ${sizes}.` : `Binary file: ${sizes}.`;
}

function sizeOf(file: FileText): number {
  return file.type === 'text' ? new TextEncoder().encode(file.text).length : file.sizeBytes;
}

function lineRow(line: DiffLine): TemplateResult {
  return html`<tr class=${line.type}>
    <td class="number">${line.oldNumber || ''}</td>
    <td class="number">${line.newNumber || ''}</td>
    <td class="sign">${signs[line.type]}</td>
    <td class="text">${line.text}</td>
  </tr>`;
}

function skippedRow(count: number): TemplateResult {
  return html`<tr class="skipped">
    <td colspan="4">${count} unchanged ${count === 1 ? 'line' : 'lines'}</td>
  </tr>`;
}
