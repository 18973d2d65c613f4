import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { processContext } from '../../cli/context.ts';
import { buildProgram } from '../../cli/program.ts';
import { codeBlocks, type Document, readDocuments } from './documents.ts';

const program = buildProgram({ ...processContext(), environment: {} });

/** Lines of shells and spans of code that begin with the command, without what other commands get or give by pipes. */
function calls(document: Document): string[] {
  const blocks = codeBlocks(document).filter(({ language }) => ['sh', 'console', 'text'].includes(language));
  const lines = blocks.flatMap(({ code }) => code.replaceAll('\\\n', ' ').split('\n'));
  const spans = [...document.text.matchAll(/`(coppice [^`\n]+)`/g)].map(([, span = '']) => span);
  return [...lines, ...spans].flatMap((line) =>
    line
      .replace(/'[^']*'|"[^"]*"/g, 'QUOTED')
      .replace(/\s#.*/, '')
      .split(/[|&;()]+/)
      .map((call) => call.trim().replace(/^\$ /, ''))
      .filter((call) => /^coppice [a-z]/.test(call)),
  );
}

/** What a call says that the program does not know. */
function unknownIn(call: string): string[] {
  const [, ...words] = call.split(/\s+/);
  // What follows are words of another program.
  const end = words.findIndex((word) => word === '--' || word.startsWith('./'));
  const given = end < 0 ? words : words.slice(0, end);
  const [name = ''] = given;
  const command = program.commands.find((one) => one.name() === name || one.aliases().includes(name));
  if (!command) return [name];
  const help = command.helpInformation();
  const known = new Set([program, command, ...command.commands].flatMap(optionsOf));
  return given
    .flatMap((word) => /^(--[a-z][a-z-]*|-[a-zA-Z])(?:=.*)?$/.exec(word)?.[1] ?? [])
    .filter(
      (option) =>
        !known.has(option) && !help.includes(`${option} `) && option !== '--help' && option !== '-h',
    );
}

function optionsOf({ options }: Command): string[] {
  return options.flatMap(({ long, short }) =>
    [long, short].filter((one) => one !== undefined && one !== null),
  );
}

test('every command of coppice that a document names is one, with the options that it gives', () => {
  const all = readDocuments().flatMap((document) =>
    calls(document).map((call) => ({ path: document.path, call, unknown: unknownIn(call) })),
  );
  expect(all.length).toBeGreaterThan(200);
  expect(all.filter(({ unknown }) => unknown.length > 0)).toEqual([]);
});
