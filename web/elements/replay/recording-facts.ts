import { html, nothing, type TemplateResult } from 'lit';
import { plainLine } from '../text/describe-snapshot.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { clockTime } from '../text/relative-time.ts';
import { spellTime } from './describe-time.ts';
import type { ReplayModel } from './replay-model.ts';

/** What a recording is: its title, and where, when and how long it was. */
export function renderFacts({ state, duration }: ReplayModel): TemplateResult {
  const { header } = state.recording ?? {};
  const { sandbox, runtime, image, source } = header?.coppice ?? {};
  const title = plainLine(header?.title ?? '', 120) || plainLine(sandbox ?? '', 80) || 'Recording';
  const where = [runtime, image?.name, source].flatMap((part) => (part ? plainLine(part, 60) : []));
  const when = header === undefined || header.beginMs === 0 ? [] : [clockTime(header.beginMs, Date.now())];
  return html`<h1 class="ellipsis" title=${title}>${title}</h1>
    <span class="facts muted ellipsis">${[...where, ...when, spellTime(duration)].join(' · ')}</span>`;
}

/** How much of the file was read, and what waits for more of it. */
export function renderReading({ state }: ReplayModel): TemplateResult | typeof nothing {
  const { progress } = state.recording ?? {};
  if (progress === undefined) return nothing;
  const { doneBytes, totalBytes } = progress;
  const share = totalBytes > 0 ? Math.min(1, doneBytes / totalBytes) : nothing;
  const size = totalBytes > 0 ? ` of ${formatBytes(totalBytes)}` : '';
  return html`<p class="note reading">
    <progress aria-label="Reading the recording" max="1" value=${share}></progress>
    <span class="number">${formatBytes(doneBytes)}${size}</span>
    <span role="status"
      >${state.awaited === undefined ? nothing : `${spellTime(state.awaited)} is shown once it is read.`}</span
    >
  </p>`;
}

/** What is wrong with the file, what was not captured, and what is in the image only. */
export function renderWarnings(model: ReplayModel): TemplateResult {
  const { recording, usesImage, session } = model.state;
  const { coppice } = recording?.header ?? {};
  const omitted = coppice?.omitted ?? [];
  const { image } = coppice ?? {};
  return html`
    ${
      recording?.damage === undefined
        ? nothing
        : html`<p class="note damage" role="alert">
            ${plainLine(recording.damage, 300)} What comes before that is shown.
          </p>`
    }
    ${
      omitted.length === 0
        ? nothing
        : html`<details class="note">
            <summary>Not everything was recorded</summary>
            <ul>
              ${omitted.slice(0, 50).map((line) => html`<li>${plainLine(line, 300)}</li>`)}
            </ul>
          </details>`
    }
    ${
      image === undefined || image.isHeld || session.heads.length === 0 || usesImage === 'yes'
        ? nothing
        : html`<p class="note">
            <span
              >Files that nobody changed are in the image “${plainLine(image.name, 60)}”, and not in this recording.</span
            >
            <button class="outlined" ?disabled=${usesImage === 'loading'} @click=${() => void model.useImage()}>
              ${usesImage === 'loading' ? 'Reading …' : 'Read them from this site'}
            </button>
          </p>`
    }
  `;
}
