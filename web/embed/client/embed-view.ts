import { embedLimits } from '../limits.ts';
import { type EmbedLook, typeOf, type ViewEvent, type ViewMessage } from '../messages.ts';

/** What a frame shows. */
export class EmbedView {
  readonly #port: MessagePort;

  constructor(port: MessagePort, onEvent: (event: ViewEvent) => void = () => {}) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<unknown>) => {
      const event = parseEvent(data);
      if (event) onEvent(event);
    };
  }

  look(look: EmbedLook): void {
    this.#send({ type: 'look', look });
  }

  /** Terminals of these sandboxes, side by side. */
  show(sandboxes: readonly { readonly id: string; readonly title: string }[]): void {
    this.#send({ type: 'show', sandboxes });
  }

  /** Types a line, and Enter, into the terminal of a sandbox. */
  enter(sandbox: string, line: string): void {
    this.#send({ type: 'enter', sandbox, line });
  }

  focus(): void {
    this.#send({ type: 'focus' });
  }

  /** Plays a recording, from `at` seconds on: its file, or those of a folder of segments. A frame fetches nothing that a page names. */
  replay(files: readonly File[], at = 0): void {
    this.#send({ type: 'replay', files, at });
  }

  #send(message: ViewMessage): void {
    this.#port.postMessage(message);
  }
}

function parseEvent(data: unknown): ViewEvent | undefined {
  const type = typeOf(data);
  const { px, message, sandbox } = Object(data) as Readonly<Record<string, unknown>>;
  if (type === 'height' && typeof px === 'number' && px >= 0)
    return { type, px: Math.min(px, embedLimits.heightPx) };
  if (type === 'problem' && typeof message === 'string')
    return { type, message: message.slice(0, embedLimits.messageCharacters) };
  if (type === 'continued' && typeof sandbox === 'string') return { type, sandbox };
  return undefined;
}
