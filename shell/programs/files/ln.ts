import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { ShellText } from '../../text.ts';
import { attempt, defineProgram } from '../command-line/define-program.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf, statIfThere } from '../paths/operands.ts';
import { baseName, directoryName } from '../paths/path-names.ts';
import { relativePath } from '../paths/relative-path.ts';
import type { Program } from '../program.ts';
import { ask } from '../streams/ask.ts';
import { transfersOf } from './destination.ts';

export const ln: Program = defineProgram({
  usage: '[OPTION]... [-T] TARGET LINK_NAME\n  or:  ln [OPTION]... TARGET... DIRECTORY',
  summary: 'Create hard links by default, symbolic links with --symbolic.',
  options: {
    force: '-f, --force  remove existing destination files',
    interactive: '-i, --interactive  prompt whether to remove destinations',
    logical: '-L, --logical  dereference TARGETs that are symbolic links',
    noDereference:
      '-n, --no-dereference  treat LINK_NAME as a normal file if it is a symbolic link to a directory',
    physical: '-P, --physical  make hard links directly to symbolic links',
    relative: '-r, --relative  with -s, create links relative to link location',
    symbolic: '-s, --symbolic  make symbolic links instead of hard links',
    target: '-t, --target-directory=DIRECTORY  specify the DIRECTORY in which to create the links',
    noTarget: '-T, --no-target-directory  treat LINK_NAME as a normal file always',
    verbose: '-v, --verbose  print name of each linked file',
  },
  async run(invocation) {
    const { call, options, operands, out, warn } = invocation;
    const { files } = call;
    const isSymbolic = options.has('symbolic');
    const last = operands.at(-1);
    const isLinkItself =
      options.has('noDereference') &&
      operands.length === 2 &&
      last !== undefined &&
      statIfThere(call, last, { follow: false })?.target !== undefined;
    const transfers = transfersOf(call, operands, {
      targetDirectory: options.value('target'),
      isNotDirectory: options.has('noTarget') || isLinkItself,
      allowsOne: true,
    });
    let status = 0;
    for (const { from, to } of transfers) {
      const kind = isSymbolic ? 'symbolic' : 'hard';
      const isThere = statIfThere(call, to, { follow: false }) !== undefined;
      const isDone = await attempt(
        invocation,
        failureOf(kind, { from: isThere ? undefined : from, to }),
        async () => {
          if (!isSymbolic && !(await canLink(from))) {
            status = 1;
            return;
          }
          const target = isSymbolic && options.has('relative') ? relativeTarget(from, to) : from;
          const existing = statIfThere(call, to, { follow: false });
          const isRemoved = existing !== undefined && options.has('force', 'interactive');
          if (isRemoved && options.last('force', 'interactive') === 'interactive') {
            if (!(await ask(call, `replace ${quoteName(to)}?`))) return;
          }
          if (isRemoved && existing.ino === statIfThere(call, from, { follow: false })?.ino && !isSymbolic) {
            await warn(`${quoteName(from)} and ${quoteName(to)} are the same file`);
            status = 1;
            return;
          }
          if (isRemoved && isDirectory(existing.mode)) {
            await warn(`${to}: cannot overwrite directory`);
            status = 1;
            return;
          }
          if (isRemoved) files.unlink(pathOf(call, to));
          if (isSymbolic) files.symlink(target, pathOf(call, to), call);
          else {
            const path = pathOf(call, from);
            files.link(
              options.last('logical', 'physical') === 'logical' ? files.realpath(path) : path,
              pathOf(call, to),
            );
          }
          if (options.has('verbose'))
            out.add(`${quoteName(to)} ${isSymbolic ? '->' : '=>'} ${quoteName(target)}\n`);
        },
      );
      if (!isDone) status = 1;
    }
    return status;

    async function canLink(from: ShellText): Promise<boolean> {
      const what = `failed to access ${quoteName(from)}`;
      let isPlain = true;
      const isThere = await attempt(invocation, what, () => {
        isPlain = !isDirectory(files.lstat(pathOf(call, from)).mode);
      });
      if (!isPlain) await warn(`${from}: hard link not allowed for directory`);
      return isThere && isPlain;
    }

    function relativeTarget(from: ShellText, to: ShellText): ShellText {
      const directory = pathOf(call, directoryName(to));
      const path = pathOf(call, from);
      const parent = pathOf(call, directoryName(from));
      const real = files.exists(parent) ? `${files.realpath(parent)}/${baseName(from)}` : path;
      return relativePath(
        files.exists(directory) ? files.realpath(directory) : directory,
        pathOf(call, real),
      );
    }
  },
});

function failureOf(kind: string, { from, to }: { from: ShellText | undefined; to: ShellText }): ShellText {
  const arrow = kind === 'hard' && from !== undefined ? ` => ${quoteName(from)}` : '';
  return `failed to create ${kind} link ${quoteName(to)}${arrow}`;
}
