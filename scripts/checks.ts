/** What `npm run check` and `npm test` hold the sources to, each a command. */
export const checks: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['format and lint', ['biome', 'check', '--error-on-warnings', '.']],
  ['types and layers', ['tsc', '-b']],
  ['circles', ['node', 'scripts/check-circles.ts']],
  ['unused code', ['knip']],
];
