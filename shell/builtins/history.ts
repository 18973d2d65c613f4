import type { Builtin } from '../interpret/builtin.ts';

/** `history [-c] [-s ARGUMENT...] [count]` */
export const history: Builtin = async (shell, { args }) => {
  const [first] = args;
  if (first === '-c') {
    shell.history = [];
    return 0;
  }
  if (first === '-s') {
    shell.remember(args.slice(args[1] === '--' ? 2 : 1).join(' '));
    return 0;
  }
  if (first !== undefined && /^-[anrwdp]/.test(first)) return 0;
  if (first?.startsWith('-')) {
    await shell.tell(`history: ${first}: invalid option`);
    return 2;
  }
  if (first !== undefined && !/^\+?\d+$/.test(first)) {
    await shell.tell(`history: ${first}: numeric argument required`);
    return 1;
  }
  const start = first === undefined ? 0 : Math.max(0, shell.history.length - Number(first));
  const lines = shell.history
    .slice(start)
    .map((line, index) => `${String(start + index + 1).padStart(5)}  ${line}\n`);
  await shell.print(lines.join(''));
  return 0;
};
