import type { Builtin } from '../interpret/builtin.ts';

/** `caller [depth]` */
export const caller: Builtin = async (shell, { args }) => {
  const [depth] = args;
  const { frames } = shell;
  if (frames.length === 0) return 1;
  if (depth !== undefined && !/^\d+$/.test(depth)) {
    await shell.tell(`caller: ${depth}: invalid number`);
    return 2;
  }
  const at = frames.length - 1 - Number(depth ?? 0);
  const frame = frames[at];
  if (!frame) return 1;
  const outer = frames[at - 1];
  const source = outer?.source ?? shell.start.script;
  if (depth === undefined) {
    await shell.print(`${frame.callLine} ${source ?? 'NULL'}\n`);
    return 0;
  }
  if (!outer && shell.start.script === undefined) return 1;
  await shell.print(`${frame.callLine} ${outer?.name ?? 'main'} ${source ?? 'NULL'}\n`);
  return 0;
};
