import type { Demo } from './demo.ts';

const median = `cat > median.js <<'END'
exports.median = (numbers) => {
  const sorted = numbers.sort();
  return sorted[Math.floor(sorted.length / 2)];
};
END`;

const check = `cat > test.js <<'END'
const { median } = require('./median.js');
const cases = [
  [[3, 1, 2], 2],
  [[10, 9, 100], 10],
  [[1, 2, 3, 4], 2.5],
];
let passed = 0;
for (const [numbers, expected] of cases) {
  const got = median([...numbers]);
  if (got === expected) passed++;
  else console.log('median of ' + numbers + ' is ' + expected + ', not ' + got);
}
console.log(passed + ' passed');
if (passed < cases.length) process.exit(1);
END`;

const fixes = {
  'sort by number': "sed -i 's/sort()/sort((a, b) => a - b)/' median.js",
  'sort, and the mean of the middle two': `cat > median.js <<'END'
exports.median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2;
};
END`,
};

export const demo: Demo = {
  title: 'Race two fixes',
  sentence:
    'Two repairs of one fault run in forks of their own, the test judges, and the winner’s files are kept.',
  async play({ sandbox, recording, run, here }) {
    await recording.chapter('The fault');
    await run(median);
    await run(check);
    await run('js test.js');
    await recording.note('Numbers are sorted as text, and the middle of an even count is no element.');

    await recording.chapter('The race');
    const candidates = Object.entries(fixes).map(([name, command]) => ({ name, command }));
    const race = { candidates, test: 'js test.js', judge: 'best:(\\d+) passed' } as const;
    await recording.call({ id: 'race', tool: 'tournament', arguments: race });
    const result = await sandbox.tournament({ ...race, jobs: 2 });
    await here();
    await recording.result({ id: 'race', result: outcomes(result.candidates) });
    for (const line of outcomes(result.candidates)) await recording.note(line);

    await recording.chapter('What is kept');
    await run('cat median.js');
    await run('js test.js');
    await recording.note('The loser’s fork is gone. The state before the race is one step back.');
  },
};

/** How each did, as a sentence. */
function outcomes(
  candidates: readonly { readonly name: string; readonly state: string; readonly why?: string | undefined }[],
): string[] {
  return candidates.map(({ name, state, why }) => `“${name}” ${state}${why === undefined ? '' : `: ${why}`}`);
}
