/** The groups of `npm test`. */
export const testGroups = ['checks', 'unit', 'machine', 'host', 'page'] as const;
export type TestGroup = (typeof testGroups)[number];

/** Where the files of a group are that are not unit tests. */
const folders: readonly (readonly [folder: string, group: TestGroup])[] = [
  ['test/machine', 'machine'],
  ['test/host', 'host'],
  ['test/e2e', 'page'],
];

/**
 * What to run of each group for the names after `npm test --`: a group, a file or a folder of tests. No name is all of
 * it. An empty list stands for the whole group.
 * @throws RangeError that says what the name of an option could be
 */
export function chooseTests(names: readonly string[]): ReadonlyMap<TestGroup, readonly string[]> {
  if (names.length === 0) return new Map(testGroups.map((group) => [group, []]));
  const chosen = new Map<TestGroup, readonly string[]>();
  for (const name of names) {
    if (name.startsWith('-'))
      throw new RangeError(
        `Unknown option ${name}. Usage: npm test -- [${testGroups.join('|')}|FILE|FOLDER]…`,
      );
    const group = testGroups.find((one) => one === name);
    const path = name.replace(/^\.\//, '');
    const of = group ?? folders.find(([folder]) => path.startsWith(folder))?.[1] ?? 'unit';
    const before = chosen.get(of);
    // Who asks for the group gets all of it, whatever else was asked for.
    const isWhole = group !== undefined || before?.length === 0;
    chosen.set(of, isWhole ? [] : [...(before ?? []), path]);
  }
  return chosen;
}
