import { Gzip } from 'fflate';
import { SandboxError } from '../../protocol/errors.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { hashObject } from '../../tree/objects/hash-object.ts';
import { toBase64 } from '../format/base64.ts';
import type { RecordingEvent } from '../format/recording-event.ts';
import type { SessionStream } from '../format/session-stream.ts';
import { pageBody, pageScript, pageStyle } from '../page/page-parts.ts';
import { exportLimits } from './limits.ts';
import { toRecording } from './to-recording.ts';

/** What the page does not show. */
const notShown: ReadonlySet<RecordingEvent['type']> = new Set(['objects', 'foreign', 'unknown', 'input']);

/**
 * One file of HTML that plays the recording, also from `file://` and without a network: its script, its style and the recording are in it,
 * and its policy allows nothing else. `terminalModule`: the source of xterm's headless module (CommonJS). Files of snapshots are not in it.
 * @throws limit-exceeded for a recording that is too large for a page
 */
export async function* toHtml(
  session: SessionStream,
  { terminalModule }: { readonly terminalModule: string },
): AsyncGenerator<string> {
  const script = pageScript(terminalModule);
  const policy = [
    "default-src 'none'",
    `script-src '${hashSource(script)}'`,
    `style-src '${hashSource(pageStyle)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${escaped(session.header.title ?? 'Recording')}</title>
<style>${pageStyle}</style></head>
<body>${pageBody}
<script type="application/gzip" id="recording">`;
  yield* base64(deflated(toRecording(shown(session), { gzip: false })));
  yield `</script>
<script>${script}</script>
</body></html>
`;
}

function shown({ header, events }: SessionStream): SessionStream {
  return {
    header,
    events: async function* () {
      for await (const timed of events()) if (!notShown.has(timed.event.type)) yield timed;
    },
  };
}

/** As one member of gzip: browsers inflate the first of several. */
async function* deflated(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let made: Uint8Array[] = [];
  let bytes = 0;
  const gzip = new Gzip({ level: 6, mtime: 0 }, (piece) => void made.push(piece));
  const take = () => {
    const taken = made;
    made = [];
    return taken;
  };
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > exportLimits.pageBytes) {
      const message = `Cannot put a recording of more than ${exportLimits.pageBytes} bytes into a page: cut it first`;
      throw new SandboxError('limit-exceeded', message);
    }
    gzip.push(piece);
    yield* take();
  }
  gzip.push(new Uint8Array(0), true);
  yield* take();
}

/** In pieces of whole groups of 3 bytes, so that their texts together are one. */
async function* base64(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = joinBytes([rest, piece], rest.length + piece.length);
    const whole = bytes.length - (bytes.length % 3);
    yield toBase64(bytes.subarray(0, whole));
    rest = bytes.subarray(whole);
  }
  yield toBase64(rest);
}

/** As a policy names a script or a style that it allows. */
function hashSource(text: string): string {
  const hex = hashObject(new TextEncoder().encode(text));
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return `sha256-${toBase64(bytes)}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
