import { summarizeSession } from '../../recording/edit/summarize-session.ts';
import { dateText } from '../../recording/format/date-text.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { countText, durationText } from '../output/amounts.ts';
import { plainText } from '../output/plain-text.ts';
import { readSession } from './read-session.ts';

/** Tells what is in a session. @throws as `readSession` */
export async function inspect(file: string, options: SharedOptions, cli: Cli): Promise<void> {
  const session = await readSession(file, cli.context);
  const summary = await summarizeSession(session);
  const { header, format, damage } = session;
  const { coppice, title, columns, rows, beginMs } = header;
  const damaged = damage === undefined ? {} : { damage };
  cli.printer(options).result({ file, format, header, ...summary, ...damaged }, () => {
    const redacted = Object.entries(summary.redacted).map(([kind, count]) => `${count} ${plainText(kind)}`);
    const { image } = coppice;
    const lines: (readonly [string, string | undefined])[] = [
      ['title', title],
      ['from', coppice.source ?? format],
      ['written by', coppice.generator],
      ['sandbox', coppice.sandbox],
      ['runtime', coppice.runtime],
      ['image', image && `${image.name} ${image.digest.slice(0, 12)}${image.isHeld ? ', in the file' : ''}`],
      ['begun', beginMs > 0 ? dateText(beginMs) : undefined],
      ['length', durationText(summary.duration * 1_000)],
      ['terminals', `${summary.terminals}, the first ${columns}×${rows}`],
      ['commands', `${summary.commands}, ${summary.failed} failed`],
      ['tool calls', String(summary.calls)],
      ['messages', String(summary.messages)],
      ['snapshots', String(summary.snapshots)],
      ['events', `${summary.events}${summary.foreign > 0 ? `, ${summary.foreign} of another format` : ''}`],
      ['chapters', summary.chapters.length === 0 ? undefined : summary.chapters.join(', ')],
      ['secrets', redacted.length === 0 ? undefined : `${redacted.join(', ')} replaced`],
      ['not in it', coppice.omitted && countText(coppice.omitted.length, 'thing')],
      ['damage', damage],
    ];
    const shown = lines.flatMap(([name, value]) =>
      value === undefined ? [] : [`${name.padEnd(12)}${plainText(value)}`],
    );
    return [...shown, ...(coppice.omitted ?? []).map((each) => `  - ${plainText(each)}`)].join('\n');
  });
}
