import { html, nothing, type TemplateResult } from 'lit';
import { plainLine, spellCounts } from '../text/describe-snapshot.ts';
import { formatSeconds } from '../text/relative-time.ts';
import { spellTime } from './describe-time.ts';
import type { Step } from './session-steps.ts';

const signs = { command: '$', call: '⚙', message: '', chapter: '§', snapshot: '○', note: '✎' } as const;
const roles: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Assistant',
  system: 'System',
  thinking: 'Thinking',
};
/** Characters of a message that its row shows, and of all of it once it was opened. */
const messageCharacters = 600;
const wholeCharacters = 200_000;

/** Control and bidirectional override characters, but for line ends and tabs. */
const controls = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** A row of a session's steps. Texts are shown as they are: no Markdown, links or HTML come of them (H-9). */
export function stepRow(
  step: Step,
  options: {
    readonly isCurrent: boolean;
    /** All of its texts, once they were asked for. */
    readonly whole: string | undefined;
    readonly go: () => void;
    readonly open: () => void;
  },
): TemplateResult {
  const { kind, at, end, role } = step;
  const { whole, isCurrent } = options;
  const isLong = kind === 'message' && step.text.length > messageCharacters;
  const mayOpen = isLong || step.isCut === true || kind === 'call';
  return html`<li class=${`${kind} ${role ?? ''}`} aria-current=${isCurrent ? 'step' : nothing}>
    <button class="go" @click=${options.go}>
      <span class="sign" aria-hidden="true">${signs[kind]}</span>
      ${kind === 'message' ? said(step) : html`<span class="text">${kind === 'snapshot' ? kept(step) : plainLine(step.text, 200)}</span>`}
      ${end === undefined ? nothing : outcome(step, end)}
      <span class="at number muted">${spellTime(at)}</span>
    </button>
    ${whole === undefined ? nothing : html`<pre class="whole" tabindex="0">${plainText(whole, wholeCharacters)}</pre>`}
    ${
      mayOpen
        ? html`<button class="open" aria-expanded=${whole !== undefined} @click=${options.open}>
            ${whole === undefined ? 'Show all' : 'Show less'}
          </button>`
        : nothing
    }
  </li>`;
}

/** Text of several lines, harmless, cut where it is long. */
function plainText(text: string, most: number): string {
  const harmless = text.slice(0, most).replace(controls, ' ');
  return text.length > most ? `${harmless}…` : harmless;
}

function outcome({ kind, at }: Step, end: NonNullable<Step['end']>): TemplateResult {
  const time = formatSeconds((end.at - at) * 1000);
  const how = kind === 'call' ? (end.failed ? 'failed' : '') : end.failed ? plainLine(end.text, 20) : '';
  return html`<span class=${end.failed ? 'outcome failed' : 'outcome muted'}>${how} ${time}</span>`;
}

/** Its white space counts, so there is none around it. */
function said({ role = '', text }: Step): TemplateResult {
  const who = roles[role] ?? plainLine(role, 20);
  return html`<span class="text"><strong>${who}</strong><span class="said">${plainText(text, messageCharacters)}</span></span>`;
}

/** What a snapshot changed, and its label where that is not the command before it. */
function kept({ text, snapshot, isRepeated = false }: Step): string {
  const counts = snapshot === undefined ? '' : spellCounts(snapshot.changes);
  return isRepeated || text === '' ? counts : `${plainLine(text, 120)} · ${counts}`;
}
