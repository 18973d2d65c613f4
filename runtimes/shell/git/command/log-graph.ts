import type { GitCommit } from '../../../../protocol/sandbox/git.ts';

/**
 * Whether each commit has the next one as its only parent: `git log --graph` then draws one line down the left. With
 * `isPicked`, others between them were left out, by path or by what they say.
 */
export function isLine(commits: readonly GitCommit[], { isPicked }: { readonly isPicked: boolean }): boolean {
  return commits.every(({ parents }, at) => {
    const next = commits[at + 1];
    return parents.length <= 1 && (next === undefined || isPicked || parents[0] === next.id);
  });
}

/** The text of a commit beside its place in the line; `goesOn` where another one comes below, shown or not. */
export function besideLine(text: string, { goesOn }: { readonly goesOn: boolean }): string {
  const bar = goesOn ? '|' : ' ';
  return text
    .split('\n')
    .map((line, at, lines) => {
      if (at === lines.length - 1 && line === '') return '';
      return at === 0 ? `* ${line}` : `${bar} ${line}`;
    })
    .join('\n');
}
