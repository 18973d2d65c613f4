import type { Builtin } from '../interpret/builtin.ts';
import { decodeEscapes } from './escapes.ts';

/** `echo [-neE] [words]` */
export const echo: Builtin = async (shell, { args }) => {
  let newline = true;
  let decodes = shell.options.hasShopt('xpg_echo');
  let at = 0;
  if (!(decodes && shell.options.has('posix'))) {
    for (; at < args.length; at++) {
      const arg = args[at] ?? '';
      if (!/^-[neE]+$/.test(arg)) break;
      for (const letter of arg.slice(1)) {
        if (letter === 'n') newline = false;
        else decodes = letter === 'e';
      }
    }
  }
  const text = args.slice(at).join(' ');
  if (!decodes || !text.includes('\\')) {
    await shell.print(newline ? `${text}\n` : text);
    return 0;
  }
  const { text: decoded, stops } = decodeEscapes(text, 'echo');
  await shell.print(newline && !stops ? `${decoded}\n` : decoded);
  return 0;
};
