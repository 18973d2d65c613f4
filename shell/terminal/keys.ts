type Action =
  | 'enter'
  | 'end-of-input'
  | 'interrupt'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'home'
  | 'end'
  | 'up'
  | 'down'
  | 'complete'
  | 'kill-to-end'
  | 'kill-to-start'
  | 'kill-word'
  | 'kill-word-right'
  | 'yank'
  | 'transpose'
  | 'clear-screen'
  | 'search';

/** What a key asks a line editor to do, or text to insert, and what was typed for that. */
export interface Key {
  readonly type: Action | 'text';
  readonly text: string;
}

const controls: ReadonlyMap<string, Action> = new Map([
  ['\x01', 'home'],
  ['\x02', 'left'],
  ['\x03', 'interrupt'],
  ['\x04', 'end-of-input'],
  ['\x05', 'end'],
  ['\x06', 'right'],
  ['\x08', 'backspace'],
  ['\t', 'complete'],
  ['\n', 'enter'],
  ['\x0b', 'kill-to-end'],
  ['\x0c', 'clear-screen'],
  ['\r', 'enter'],
  ['\x0e', 'down'],
  ['\x10', 'up'],
  ['\x12', 'search'],
  ['\x14', 'transpose'],
  ['\x15', 'kill-to-start'],
  ['\x17', 'kill-word'],
  ['\x19', 'yank'],
  ['\x7f', 'backspace'],
]);

/** Of xterm, in both of its cursor modes; after ESC. */
const sequences: ReadonlyMap<string, Action> = new Map([
  ['[A', 'up'],
  ['OA', 'up'],
  ['[B', 'down'],
  ['OB', 'down'],
  ['[C', 'right'],
  ['OC', 'right'],
  ['[D', 'left'],
  ['OD', 'left'],
  ['[1;5C', 'word-right'],
  ['[1;3C', 'word-right'],
  ['[1;5D', 'word-left'],
  ['[1;3D', 'word-left'],
  ['[H', 'home'],
  ['OH', 'home'],
  ['[1~', 'home'],
  ['[F', 'end'],
  ['OF', 'end'],
  ['[4~', 'end'],
  ['[3~', 'delete'],
  ['b', 'word-left'],
  ['f', 'word-right'],
  ['d', 'kill-word-right'],
  ['\x7f', 'kill-word'],
]);

/** A sequence that is not known is passed over whole: CSI, SS3, or one character after ESC (ECMA-48, 5.4). */
const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\s\S]|[^[O])|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/y;
/** The longest that is waited for; what is longer is no key. */
const longestSequence = 32;

/** Cuts what a terminal sends into keys. The text may be cut anywhere: the beginning of a sequence waits for its rest. */
export class KeyReader {
  #rest = '';

  read(text: string): Key[] {
    const input = this.#rest + text;
    this.#rest = '';
    const keys: Key[] = [];
    for (let at = 0; at < input.length; ) {
      token.lastIndex = at;
      const [found] = token.exec(input) ?? [];
      if (found === undefined) {
        if (input.length - at < longestSequence) this.#rest = input.slice(at);
        break;
      }
      at += found.length;
      const key = keyOf(found);
      if (key) keys.push(key);
    }
    return keys;
  }
}

function keyOf(found: string): Key | undefined {
  if (found.startsWith('\x1b')) {
    const type = sequences.get(found.slice(1));
    return type && { type, text: found };
  }
  const type = controls.get(found);
  if (type) return { type, text: found };
  return found < ' ' ? undefined : { type: 'text', text: found };
}
