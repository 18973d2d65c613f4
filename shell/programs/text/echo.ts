import { encodeText, type ShellText } from '../../text.ts';
import { expandEscapes } from '../notation/expand-escapes.ts';
import type { Program } from '../program.ts';

/** As a program that `env` or `xargs` runs. It has no `--help`: it prints that. */
export const echo: Program = async (call) => {
  let isLine = true;
  let hasEscapes = false;
  const words = [...call.args];
  for (; /^-[neE]+$/.test(words[0] ?? ''); words.shift()) {
    for (const letter of (words[0] ?? '').slice(1)) {
      if (letter === 'n') isLine = false;
      else hasEscapes = letter === 'e';
    }
  }
  const text: ShellText = words.join(' ');
  const { text: shown, ends } = hasEscapes ? expandEscapes(text) : { text, ends: false };
  await call.stdout.write(encodeText(ends || !isLine ? shown : `${shown}\n`), call.signal);
  return 0;
};
