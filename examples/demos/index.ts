import { demo as agent } from './agent-repairs-a-test.ts';
import { demo as breaking } from './break-a-computer.ts';
import { demo as lab } from './c-lab-with-checks.ts';
import type { Demo } from './demo.ts';
import { demo as express } from './express-rewound.ts';
import { demo as git } from './learn-git-with-a-past.ts';
import { demo as race } from './race-two-fixes.ts';
import { demo as tutorial } from './tutorial.ts';

/** By the name of its module and of its recording, in the order of the page. */
export const demos: Readonly<Record<string, Demo>> = {
  'break-a-computer': breaking,
  'race-two-fixes': race,
  'agent-repairs-a-test': agent,
  'learn-git-with-a-past': git,
  'c-lab-with-checks': lab,
  'express-rewound': express,
  tutorial,
};
