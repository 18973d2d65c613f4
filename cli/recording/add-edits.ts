import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { parseDurationMs } from '../options/quantities.ts';
import { addSecretOptions } from './secrets.ts';

/** Commands that make a recording of others. */
export function addEdits(above: Command, cli: Cli): void {
  addRedact(above, cli);
  addCut(above, cli);
  addJoin(above, cli);
}

function addRedact(above: Command, cli: Cli): void {
  const command = above
    .command('redact')
    .description('write a recording in which what looks like a secret is replaced, and values that are given')
    .argument('<file>', 'a recording, or what recording convert reads')
    .argument('<to>', 'the file to write; - for standard output')
    .option('--force', 'replace a file that is there')
    .action(async (file: string, to: string, options: SharedOptions) => {
      const { redact } = await import('./edit.ts');
      await redact({ file, to }, options, cli);
    });
  addSecretOptions(command);
  addExamples(command, [
    ['coppice recording redact work.cast.gz public.cast.gz --secret "$TOKEN"', 'before it is published'],
  ]);
}

function addCut(above: Command, cli: Cli): void {
  const command = above
    .command('cut')
    .description('write a part of a recording, with the snapshots that it needs')
    .argument('<file>', 'a recording, or what recording convert reads')
    .argument('<to>', 'the file to write; - for standard output')
    .option(
      '--from <time>',
      'where the part begins, such as 30s or 5m: at the beginning by default',
      parseDurationMs,
    )
    .option('--to <time>', 'where it ends: at the end by default', parseDurationMs)
    .option('--force', 'replace a file that is there')
    .action(async (file: string, to: string, options: SharedOptions) => {
      const { cut } = await import('./edit.ts');
      await cut({ file, to }, options, cli);
    });
  addExamples(command, [
    ['coppice recording cut work.cast.gz part.cast.gz --from 30s --to 2m', 'a minute and a half'],
  ]);
}

function addJoin(above: Command, cli: Cli): void {
  const command = above
    .command('join')
    .description('write recordings one after the other as one, each a chapter')
    .argument('<to>', 'the file to write; - for standard output')
    .argument('<files...>', 'recordings, or what recording convert reads, in order')
    .option('--force', 'replace a file that is there')
    .action(async (to: string, files: readonly string[], options: SharedOptions) => {
      const { join } = await import('./edit.ts');
      await join({ to, files }, options, cli);
    });
  addExamples(command, [['coppice recording join all.cast.gz first.cast.gz second.cast.gz', 'two as one']]);
}
