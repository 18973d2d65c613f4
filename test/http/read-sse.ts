/** One server-sent event, its data parsed. */
export interface ReceivedEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

/** The events of an answer, one after the other; `undefined` after the last. Comments are left out. */
export function readSse(answer: Response): {
  next(): Promise<ReceivedEvent | undefined>;
  cancel(): Promise<void>;
} {
  if (!answer.body) throw new Error('The answer has no body');
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<ReceivedEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const event = parse(block);
        if (event) return event;
      } else {
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += value;
      }
    }
  };
  return { next, cancel: () => reader.cancel() };
}

/** As the HTML standard splits lines: at CR, LF or both. */
function parse(block: string): ReceivedEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
  }
  const event = fields.get('event');
  if (event === undefined) return undefined;
  const id = fields.get('id');
  return { ...(id === undefined ? {} : { id }), event, data: JSON.parse(fields.get('data') ?? 'null') };
}
