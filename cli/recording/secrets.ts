import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { SecretReplacerOptions } from '../../recording/redact/secret-replacer.ts';
import type { CliContext } from '../context.ts';
import { collect } from '../options/collect.ts';
import { onHost } from '../transfer/file-ends.ts';

export interface SecretOptions {
  readonly secret?: readonly string[];
  readonly secretFile?: string;
}

/** Options of commands that replace secrets. */
export function addSecretOptions(command: Command): Command {
  return command
    .option('--secret <text>', 'a value to replace as well; may be given several times', collect)
    .option('--secret-file <file>', 'a file with such values, one a line');
}

/** What is replaced besides what looks like a secret: values that were given, and those of this environment whose names say so. */
export async function secretsOf(
  { secret = [], secretFile }: SecretOptions,
  { environment, directory }: CliContext,
): Promise<SecretReplacerOptions> {
  const lines =
    secretFile === undefined
      ? []
      : (await onHost(`read ${secretFile}`, () => readFile(resolve(directory, secretFile), 'utf8'))).split(
          /\r?\n/,
        );
  const known = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return {
    secrets: [...secret, ...lines].filter((value) => value !== ''),
    environments: [Object.fromEntries(known)],
  };
}
