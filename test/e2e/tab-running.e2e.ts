import { test } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { prompt, serveSite, shows, type } from './tab/drive-page.ts';

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

test('B-4 after a reload the program in the terminal holds what it held, and a counter counts on', async ({
  page,
}) => {
  await page.goto(site.url);
  await prompt(page);
  await type(page, '(n=0; while :; do n=$((n+1)); echo $n > ~/new; mv ~/new ~/count; sleep 0.1; done) &');
  await type(page, 'python3');
  await shows(page, />>>\s*$/);
  // What is stored lags a second or two behind: it has `x`, and may be asleep.
  await type(page, 'import time; x = 41; time.sleep(3)');
  await shows(page, /sleep\(3\)\s*>>>\s*$/);
  await page.reload();
  await shows(page, /sleep\(3\)\s*>>>\s*$/);
  await type(page, 'print(x + 1)');
  await shows(page, /42\s*>>>\s*$/);
  await type(page, 'exit()');
  await type(page, 'a=$(cat count); sleep 1; [ $(cat count) -gt $a ] && echo counts o""n');
  await shows(page, 'counts on');
});
