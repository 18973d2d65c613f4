import { limits } from '../../../protocol/limits.ts';
import { createTerminal } from '../../../web/elements/terminal/create-terminal.ts';

/** How long the page's thread stood still at most while it was fed a text. */
export interface Stop {
  readonly ms: number;
  readonly text: string;
}

const numbers = ['', '3', '99', '1049', '2147483647', '18446744073709551616'];
const link = '\x1b]8;;https://example.org\x07';
const floodBytes = limits.terminalOutputBytes / 16;

const kinds: Readonly<Record<string, () => Iterable<string>>> = {
  repeats: () => [
    'A\x1b[20000000b',
    'A\x1b[2147483647b',
    `A${'\u0301'.repeat(1_000)}\x1b[99999b`,
    fill('A\x1b[99999b'),
  ],
  links: () => [fill(link), link + fill('y\r\n'), fill(link) + fill('\x1b[99S')],
  colours: () => [
    `\x1b]4;${fill(';')}\x07`,
    fill('\x1b]4;1;#123456\x07'),
    fill('\x1b]104\x07'),
    fill('\x1b]10;#123\x07'),
  ],
  combining: () => [
    `A${'\u0301'.repeat(20_000)}`,
    `${'👩\u200d'.repeat(20_000)}`,
    `A${'\u0301'.repeat(15)}`.repeat(2_000),
  ],
  sequences: controlSequences,
  strings: () => Array.from({ length: 200 }, (_, command) => `\x1b]${command};${'x;'.repeat(50_000)}\x07`),
  floods,
};

/** Shows what a sandbox of that kind sends in a terminal of a page. Resolves to the last line, and the longest stops. */
export async function feedTerminal(kind: string): Promise<{ shown: string | undefined; stops: Stop[] }> {
  const element = document.createElement('div');
  element.style.cssText = 'width: 900px; height: 700px';
  document.body.append(element);
  const { terminal, fit } = createTerminal({}, { onLink: () => {}, onPalette: () => {} });
  terminal.open(element);
  fit.fit();
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve));
  await write('a line of text\r\n'.repeat(6_000));
  const stops: Stop[] = [];
  for (const text of kinds[kind]?.() ?? []) {
    const watch = watchThread();
    await write(text);
    await drawn();
    stops.push({ ms: await watch.end(), text: JSON.stringify(text.slice(0, 40)) });
  }
  await write('\x18\x1bcit goes on');
  await drawn();
  const shown = element.querySelector('.xterm-rows')?.firstElementChild?.textContent?.trim();
  terminal.dispose();
  return { shown, stops: stops.sort((a, b) => b.ms - a.ms) };
}

/** The same one again and again. */
function fill(text: string): string {
  return text.repeat(Math.ceil(floodBytes / text.length));
}

/** Each with a character before it, in texts of some thousand. */
function* controlSequences(): Generator<string> {
  for (const prefix of ['', '<', '=', '>', '?'])
    for (const intermediate of ['', ' ', '!', '"', '$', "'", '*', '+']) {
      let text = '';
      for (let final = 0x40; final < 0x7f; final++)
        for (const number of numbers)
          text += `A\x1b[${prefix}${number}${intermediate}${String.fromCharCode(final)}`;
      yield text;
    }
}

function* floods(): Generator<string> {
  for (const prefix of ['', '?', '>'])
    for (const intermediate of ['', ' ', '"', '$', "'"])
      for (let final = 0x40; final < 0x7f; final++)
        for (const number of numbers.slice(0, 4))
          yield fill(`\x1b[${prefix}${number}${intermediate}${String.fromCharCode(final)}`);
  for (let final = 0x30; final < 0x7f; final++) yield fill(`\x1b${String.fromCharCode(final)}`);
  for (let control = 0; control < 0x20; control++) yield fill(String.fromCharCode(control));
}

/** Two frames: what was written is on the screen. */
async function drawn(): Promise<void> {
  for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
}

/** Messages of a port to itself come as soon as the thread is free. */
function watchThread(): { end(): Promise<number> } {
  const { port1, port2 } = new MessageChannel();
  let last = performance.now();
  let longest = 0;
  let isOver = false;
  port2.onmessage = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) port1.postMessage(0);
  };
  port1.postMessage(0);
  return {
    async end() {
      await new Promise((resolve) => setTimeout(resolve));
      isOver = true;
      return longest;
    },
  };
}
