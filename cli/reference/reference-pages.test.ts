import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { inRepository } from '../../host/repository.ts';
import { processContext } from '../context.ts';
import { examplesOf } from '../examples.ts';
import { buildProgram } from '../program.ts';
import { referencePages } from './reference-pages.ts';

const program = buildProgram({ ...processContext(), environment: {} });

test('the reference has a page for each command, as the program has it: `npm run reference` writes them', async () => {
  const folder = inRepository('docs/reference/cli');
  const pages = referencePages(program);
  expect((await readdir(folder)).toSorted()).toEqual([...pages.keys()].toSorted());
  const stale: string[] = [];
  for (const [name, text] of pages) {
    if ((await readFile(`${folder}/${name}`, 'utf8')) !== text) stale.push(name);
  }
  expect(stale).toEqual([]);
});

test('every command has a line that says what it does, and examples', () => {
  const commands = program.createHelp().visibleCommands(program);
  const poor = commands.filter((each) => each.description() === '' || examplesOf(each).length === 0);
  expect(poor.map((each) => each.name())).toEqual([]);
});
