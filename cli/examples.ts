import type { Command } from 'commander';

/** A command line as a user types it, and what it does in a few words. */
export type Example = readonly [line: string, does: string];

const written = new WeakMap<Command, readonly Example[]>();

/** Shows examples below a command's help, in its man page and in the reference. Every command has at least one. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  written.set(command, examples);
  command.addHelpText('after', `\nExamples:\n${exampleLines(examples)}`);
}

/** Those of `addExamples`. */
export function examplesOf(command: Command): readonly Example[] {
  return written.get(command) ?? [];
}

/** What a line does stands beside it, or below it where the line is long. */
function exampleLines(examples: readonly Example[]): string {
  const width = Math.min(44, Math.max(...examples.map(([line]) => line.length)));
  return examples
    .map(([line, does]) =>
      line.length > width ? `  ${line}\n    ${' '.repeat(width)}${does}` : `  ${line.padEnd(width)}  ${does}`,
    )
    .join('\n');
}
