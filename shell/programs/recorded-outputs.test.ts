import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startProgramWorker } from '../node/start-program-worker.ts';
import { createPrograms } from './create-programs.ts';
import { MemoryMachine } from './fixtures/memory-call.ts';
import type { RecordedChapter } from './fixtures/recorded-chapter.ts';

const folder = join(import.meta.dirname, 'fixtures/recorded');
const programs = createPrograms({ startWorker: startProgramWorker });

describe.each(readdirSync(folder))('as GNU and Debian have it: %s', (file) => {
  const chapter = JSON.parse(readFileSync(join(folder, file), 'utf8')) as RecordedChapter;
  test.each(chapter.cases.map((recorded) => [shown(recorded), recorded] as const))(
    '%s',
    async (_, recorded) => {
      const machine = new MemoryMachine(programs, chapter.files);
      const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', ...recorded.environment };
      const ran = await machine.run(recorded.argv, {
        environment,
        ...(recorded.stdin !== undefined && { stdin: recorded.stdin }),
      });
      expect({ stdout: ran.stdout, stderr: ran.stderr, exitCode: ran.exitCode }).toEqual({
        stdout: recorded.stdout,
        stderr: recorded.stderr ?? '',
        exitCode: recorded.exitCode ?? 0,
      });
    },
  );
});

function shown({ argv, stdin }: RecordedChapter['cases'][number]): string {
  const words = argv.map((word) => (/^[\w./=:,+-]+$/.test(word) ? word : JSON.stringify(word)));
  return `${words.join(' ')}${stdin === undefined ? '' : ` < ${JSON.stringify(stdin.slice(0, 40))}`}`;
}
