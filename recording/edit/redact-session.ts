import type { RecordingEvent, TimedEvent } from '../format/recording-event.ts';
import type { SessionStream } from '../format/session-stream.ts';
import { SecretReplacer, type SecretReplacerOptions } from '../redact/secret-replacer.ts';

/** What is said of a recording with files whose secrets were replaced: as recordings that are made say it, which is not said twice. */
const filesNote = 'Secrets are replaced in what was shown and said; files of snapshots are as they are.';

/**
 * A session whose secrets are replaced, in its header and in all events but the files of snapshots, which is said in the header. How many there were is told before
 * its end, together with those that were replaced before.
 */
export function redactSession(session: SessionStream, options: SecretReplacerOptions): SessionStream {
  const replacer = new SecretReplacer(options);
  const { header } = session;
  const { env, rest, coppice } = header;
  if (env) replacer.addEnvironment(env);
  const texts = replacer.replaceAll({ title: header.title, command: header.command, env, rest }) as object;
  const omitted = [...(coppice.omitted ?? []).filter((each) => each !== filesNote), filesNote];
  return {
    header: {
      ...header,
      ...withoutAbsent(texts),
      coppice: coppice.begin ? { ...coppice, omitted } : coppice,
    },
    events: () => redacted(session, replacer),
  };
}

async function* redacted(session: SessionStream, replacer: SecretReplacer): AsyncGenerator<TimedEvent> {
  let before: Readonly<Record<string, number>> = {};
  let last = 0;
  const told = (): RecordingEvent[] => {
    const counts = { ...before };
    for (const [kind, count] of Object.entries(replacer.counts)) counts[kind] = (counts[kind] ?? 0) + count;
    return Object.keys(counts).length === 0 ? [] : [{ type: 'redacted', counts }];
  };
  let hasEnded = false;
  for await (const { at, event } of session.events()) {
    last = at;
    if (event.type === 'redacted') {
      before = event.counts;
      continue;
    }
    const events = replacer.event(event);
    hasEnded = event.type === 'end';
    for (const each of hasEnded ? [...events.slice(0, -1), ...told(), event] : events)
      yield { at, event: each };
  }
  if (hasEnded) return;
  for (const event of [...replacer.release(), ...told()]) yield { at: last, event };
}

function withoutAbsent(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
