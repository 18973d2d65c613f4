import { embedLimits } from '../limits.ts';
import {
  type EmbedLook,
  type RecordingAnswer,
  type RecordingRequest,
  typeOf,
  type ViewEvent,
  type ViewMessage,
} from '../messages.ts';

/** The bytes of a recording, which this page reads: a frame fetches nothing that a page names. */
export interface EmbeddedRecording {
  readonly sizeBytes: number;
  read(from: number, to: number): Promise<Uint8Array>;
}

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

  /** Shows the player with a recording, from `at` seconds on. */
  replay(recording: EmbeddedRecording, at = 0): void {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<RecordingRequest>) => void answer(recording, data, port1);
    this.#send({ type: 'replay', sizeBytes: recording.sizeBytes, at }, [port2]);
  }

  #send(message: ViewMessage, ports: Transferable[] = []): void {
    this.#port.postMessage(message, ports);
  }
}

async function answer(
  recording: EmbeddedRecording,
  { id, from, to }: RecordingRequest,
  port: MessagePort,
): Promise<void> {
  let given: RecordingAnswer;
  try {
    const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && to >= from;
    if (!isRange || to > recording.sizeBytes || to - from > embedLimits.recordingReadBytes)
      throw new RangeError('The frame asks for what is not in the recording');
    given = { id, bytes: await recording.read(from, to) };
  } catch (error) {
    given = { id, message: (error as Error).message };
  }
  port.postMessage(given);
}

function parseEvent(data: unknown): ViewEvent | undefined {
  const type = typeOf(data);
  const { px, message } = Object(data) as { readonly px?: unknown; readonly message?: unknown };
  if (type === 'height' && typeof px === 'number' && px >= 0)
    return { type, px: Math.min(px, embedLimits.heightPx) };
  if (type === 'problem' && typeof message === 'string')
    return { type, message: message.slice(0, embedLimits.messageCharacters) };
  return undefined;
}
