import { type Command, Option } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { takesHistory } from '../place/choose-history.ts';
import { addEdits } from '../recording/add-edits.ts';
import { addVerify } from '../recording/add-verify.ts';
import { formats } from '../recording/formats.ts';
import { addSecretOptions } from '../recording/secrets.ts';

export function addRecording(program: Command, cli: Cli): void {
  const command = program
    .command('recording')
    .description(
      'look at sessions in files, and make others of them: recordings, asciicasts, what agents write',
    );
  addInspect(command, cli);
  addConvert(command, cli);
  addEdits(command, cli);
  addVerify(command, cli);
  addExamples(command, [
    ['coppice recording inspect work.cast.gz', 'what is in it, in numbers'],
    [
      'coppice recording convert ~/.claude/projects/-app/ID.jsonl work.cast.gz',
      'a session of Claude Code as a recording',
    ],
    ['coppice recording cut work.cast.gz part.cast.gz --from 30s --to 2m', 'a part of it'],
  ]);
}

function addInspect(above: Command, cli: Cli): void {
  const command = above
    .command('inspect')
    .description('what a recording, or a session of an agent, has in it')
    .argument('<file>', 'a file, the folder of an Orca trace, or - for standard input')
    .action(async (file: string, options: SharedOptions) => {
      const { inspect } = await import('../recording/inspect.ts');
      await inspect(file, options, cli);
    });
  addExamples(command, [
    ['coppice recording inspect work.cast.gz', 'its length, commands, calls, messages, snapshots'],
    ['coppice recording inspect --json rollout.jsonl', 'the same of a session of Codex, for programs'],
  ]);
}

function addConvert(above: Command, cli: Cli): void {
  const names = Object.entries(formats).map(([name, { does }]) => `${name}: ${does}`);
  const command = above
    .command('convert')
    .description(
      'write a recording, or a session of an agent, in another format; what looks like a secret is replaced',
    )
    .argument(
      '<file>',
      'a recording, an asciicast, a session of Claude Code or Codex, ATIF, an Orca trace; - for standard input',
    )
    .argument('<to>', 'the file to write, a gzip where its name ends with .gz; - for standard output')
    .addOption(new Option('--to <format>', `by default as the name ends. ${names.join('; ')}`))
    .option(
      '--with-files',
      'with the snapshots of where the session ran: of the folder with a history, or of the sandbox that is named',
    )
    .option('--keep-secrets', 'leave what looks like a secret as it is')
    .option('--force', 'replace a file that is there')
    .action(async (file: string, to: string, options: SharedOptions) => {
      const { convert } = await import('../recording/convert.ts');
      await convert({ file, to }, options, cli);
    });
  addSecretOptions(command);
  takesHistory(command, cli.context);
  addExamples(command, [
    ['coppice recording convert rollout.jsonl work.cast.gz', 'a session of Codex, to be played and searched'],
    [
      'coppice recording convert work.cast.gz plain.cast --to asciicast',
      'for any player, with nothing of ours in it',
    ],
    [
      'coppice recording convert session.jsonl work.cast.gz --with-files',
      'in the folder that coppice wrap has noted it in: each call beside its files',
    ],
    ['coppice recording convert work.cast.gz replay.html', 'a page that plays it, to be sent to anyone'],
    ['coppice recording convert work.cast.gz - --to jsonl | jq .type', 'its events, for programs'],
  ]);
}
