import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { inRepository } from '../host/repository.ts';
import { elementManifest, elementReference } from './element-manifest.ts';

const textOf = (path: string): Promise<string> => readFile(inRepository(path), 'utf8');

test('P-6 what editors and readers are told of the elements is what the elements have: else `npm run reference`', async () => {
  expect(await textOf('web/embed/custom-elements.json')).toBe(await elementManifest());
  expect(await textOf('docs/reference/embed.md')).toBe(await elementReference());
  for (const { path, declarations } of JSON.parse(await elementManifest()).modules) {
    const source = (await textOf(path)).split('export class')[1] ?? '';
    const [{ attributes, events }] = declarations;
    // In code, or in what it calls for these names.
    const asked = new Set(source.match(/(?<=(?:get|has)Attribute\(')[\w-]+/g));
    const elsewhere = ['theme', 'readonly', 'files', 'loading', 'recording', 'poster'];
    const told = attributes.map(({ name }: { name: string }) => name);
    expect([...asked].filter((name) => !told.includes(name))).toEqual([]);
    expect(told.filter((name: string) => !asked.has(name) && !elsewhere.includes(name))).toEqual([]);
    // React and Vue set a property in place of an attribute where an element has one of its name.
    const members = new Set(source.match(/(?<=^ {2}(?:async |get |set )?)\w+(?=[(:])/gm));
    expect(told.filter((name: string) => members.has(name))).toEqual([]);
    expect(new Set(source.match(/coppice-(?:start|change|command|error|play)\b/g))).toEqual(
      new Set(events.map(({ name }: { name: string }) => name)),
    );
  }
});
