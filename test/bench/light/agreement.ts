import { compareWithBash } from '../../agreement/compare.ts';
import { countOf } from '../../agreement/counts.ts';
import { readSuite } from '../../agreement/suite.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { LightLab } from '../lab/light-lab.ts';
import { round } from '../median.ts';

const variable = 'COPPICE_OILS';

/** `shell_agreement`: the part of the Oils suite's cases that our shell answers as this machine's bash does. */
export const agreement: Benchmark<LightLab> = { keys: ['shell_agreement'], measure };

async function measure(): Promise<Figures> {
  const folder = process.env[variable];
  if (folder === undefined || folder === '') {
    const reason = `${variable} names no checkout of github.com/oils-for-unix/oils`;
    return { shell_agreement: { value: null, isSkipped: true, details: { reason } } };
  }
  const { cases, files } = await readSuite(folder);
  const { version, comparisons } = await compareWithBash({ cases, files, onProgress: () => {} });
  const counts = countOf(comparisons);
  return {
    shell_agreement: {
      value: round(counts.same / (counts.same + counts.differ)),
      details: { ...counts, bash: version },
    },
  };
}
