import { html, nothing, type TemplateResult } from 'lit';
import type { CandidateReport, CandidateState } from '../../../sdk/tournament/tournament-report.ts';
import { plainLine } from '../text/describe-snapshot.ts';

const stateNames: Readonly<Record<CandidateState, string>> = {
  waiting: 'waits',
  forking: 'is forked',
  running: 'runs',
  testing: 'is tested',
  won: 'won',
  passed: 'passed',
  failed: 'failed',
  cancelled: 'ended',
};

/** The candidates of a race, each with how it is doing; opened, one shows its output. */
export function renderCandidates(candidates: readonly CandidateReport[], nowMs: number): TemplateResult {
  const hasScores = candidates.some(({ score }) => score !== undefined);
  return html`<table aria-label="Candidates">
    <thead>
      <tr>
        <th scope="col">Candidate</th>
        <th scope="col">State</th>
        <th scope="col" class="number">Time</th>
        ${hasScores ? html`<th scope="col" class="number">Score</th>` : nothing}
      </tr>
    </thead>
    <tbody>
      ${candidates.map((candidate, index) => renderRow(candidate, { index, hasScores, nowMs }))}
    </tbody>
  </table>`;
}

function renderRow(
  candidate: CandidateReport,
  { index, hasScores, nowMs }: { index: number; hasScores: boolean; nowMs: number },
): TemplateResult {
  const { name, state, score, why, run, test } = candidate;
  const output = [run?.output, test?.output].filter(Boolean).join('\n');
  return html`<tr class=${state}>
    <th scope="row">
      <span class="mono">${index + 1} ${plainLine(name, 120)}</span>
      ${why === undefined ? nothing : html`<span class="muted why">${plainLine(why, 300)}</span>`}
      ${
        output === ''
          ? nothing
          : html`<details>
              <summary aria-label=${`Output of candidate ${index + 1}`}>Output</summary>
              <pre class="mono" tabindex="0">${output}</pre>
            </details>`
      }
    </th>
    <td class="state">${stateNames[state]}</td>
    <td class="number">${timeText(candidate, nowMs)}</td>
    ${hasScores ? html`<td class="number">${score ?? ''}</td>` : nothing}
  </tr>`;
}

function timeText({ state, startedAtMs, durationMs }: CandidateReport, nowMs: number): string {
  const isRunning = state === 'running' || state === 'testing';
  const ms = isRunning && startedAtMs !== undefined ? nowMs - startedAtMs : durationMs;
  return ms === undefined ? '' : `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
}
