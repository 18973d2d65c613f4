import { expect, it } from 'vitest';
import { runScript } from '../../fixtures/run-script.ts';
import { builtins } from './builtins.ts';
import { commandsAndWords } from './commands-and-words.ts';
import { controlFlow } from './control-flow.ts';
import { errorsAndTraps } from './errors-and-traps.ts';
import { linesAndWords } from './lines-and-words.ts';
import { pipelinesAndJobs } from './pipelines-and-jobs.ts';
import { posixModeAndStatuses } from './posix-mode-and-statuses.ts';
import { readingAndTraps } from './reading-and-traps.ts';
import { redirections } from './redirections.ts';
import { statusesAndScopes } from './statuses-and-scopes.ts';

const topics = {
  controlFlow,
  errorsAndTraps,
  commandsAndWords,
  redirections,
  pipelinesAndJobs,
  builtins,
  readingAndTraps,
  posixModeAndStatuses,
  statusesAndScopes,
  linesAndWords,
};

for (const [topic, scripts] of Object.entries(topics)) {
  it.each(scripts)(`as bash: ${topic}: $name`, async ({ script, stdout, status }) => {
    const result = await runScript(script);
    expect({ stdout: result.stdout, status: result.exitCode }, result.stderr).toEqual({ stdout, status });
  });
}
