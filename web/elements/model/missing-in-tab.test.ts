import { expect, test } from 'vitest';
import { missingInTab } from './missing-in-tab.ts';
import { initialState, reduceEvent } from './sandbox-state.ts';

test.each([
  ['sudo apt-get install -y jq', 127],
  ['apt update', 127],
  ['curl https://example.org', 6],
  ['git clone https://example.org/hello.git', 128],
  ['pip install requests', 1],
])('B-8 %s, which ended with %i, wants what a tab has not', (command, exitCode) => {
  expect(missingInTab({ command, exitCode })).toMatch(/host/);
  const { trouble } = reduceEvent(initialState, { seq: 1, type: 'command', command, exitCode });
  expect(trouble).toMatchObject({ command });
});

test.each([
  ['curl --version', 0],
  ['git commit -m push-less', 1],
  ['ping localhost', 130],
  ['aptly', 127],
  ['', 127],
])('B-8 nothing is said of %s, which ended with %i', (command, exitCode) => {
  expect(missingInTab({ command, exitCode })).toBeUndefined();
});
