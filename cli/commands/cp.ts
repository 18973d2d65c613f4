import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { TreeRef } from '../../protocol/sandbox/refs.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { countText } from '../output/amounts.ts';
import { plainText } from '../output/plain-text.ts';
import type { CopiedFiles } from '../transfer/pack-files.ts';

interface CopyOptions extends SharedOptions {
  readonly at?: string;
}

/** `NAME:/path`, or `:/path` in the sandbox that `--sandbox` names. */
interface InsidePath {
  readonly sandbox: string;
  readonly path: string;
}

export function addCp(program: Command, cli: Cli): void {
  const command = program
    .command('cp')
    .description(
      'copy a file or a directory into a sandbox or out of it; inside it is called NAME:/path or :/path',
    )
    .argument('<source-path>', 'what to copy')
    .argument('<target-path>', 'where to; into it, where it is a directory')
    .option('--at <ref>', `out of a snapshot instead of now: ${referenceHelp}`)
    .action((source: string, target: string, options: CopyOptions) => copy(source, target, options, cli));
  addExamples(command, [
    ['coppice cp report.csv default:/home/user/', 'a file of this host into the sandbox'],
    ['coppice cp :/srv/out ./out', 'a directory out of it'],
    ['coppice cp :/etc/hosts . --at good', 'a file as it was'],
  ]);
}

async function copy(source: string, target: string, options: CopyOptions, cli: Cli): Promise<void> {
  const [from, to] = [insidePath(source, options), insidePath(target, options)];
  if (!from === !to) {
    throw new SandboxError(
      'invalid-argument',
      'Give one path of this host and one of a sandbox, NAME:/path; within it, use coppice exec -- cp',
    );
  }
  if (source === '-' || target === '-') throw noStream(from?.path ?? to?.path ?? '');
  const { context } = cli;
  const sandbox = from?.sandbox ?? to?.sandbox ?? options.sandbox;
  await using opened = await (to
    ? cli.openSandbox({ ...options, sandbox })
    : cli.openToLook({ ...options, sandbox }));
  const { files, history } = opened.sandbox;
  let copied: CopiedFiles;
  if (to) {
    if (options.at !== undefined)
      throw new SandboxError(
        'invalid-argument',
        'Cannot copy into a snapshot: --at is for copies out of one',
      );
    const { copyIn } = await import('../transfer/copy-in.ts');
    copied = await copyIn(opened.sandbox, { source, target: to.path, context, quiet: options.quiet });
  } else {
    const at: TreeRef = options.at === undefined ? 'now' : findSnapshot(await history.get(), options.at).id;
    const { copyOut } = await import('../transfer/copy-out.ts');
    copied = await copyOut(files, { source: from?.path ?? '/', target, at, context });
  }
  const printer = cli.printer(options);
  for (const path of copied.leftOut) printer.note(`coppice: left out, as it cannot be copied: ${path}`);
  printer.result(copied, () => `${countText(copied.files, 'file')} copied`);
}

/** A file of that name is not what is meant; where it is, `./-` names it. */
function noStream(path: string): SandboxError {
  return new SandboxError(
    'invalid-argument',
    `Cannot copy ${plainText(path)} through -: cp takes paths. coppice exec -- cat FILE prints one, coppice exec -- tee FILE reads one`,
  );
}

function insidePath(text: string, { sandbox }: CopyOptions): InsidePath | undefined {
  const [, name = '', path = ''] = /^([^/:]*):(\/.*)$/s.exec(text) ?? [];
  return path === '' ? undefined : { sandbox: name || sandbox, path };
}
