import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import type { GitServer } from '../../http/git-server.ts';

const run = promisify(execFile);
/** Of the one that `makeRepository` makes: its path on the server, where it asks who is there. */
export const repository = 'private/project.git';

/** Has a server allow the pages of an origin, as those that mean to be used from pages do. */
export function allowPages(server: GitServer, origin: string): void {
  server.answer = (request, response) => {
    response.setHeader('access-control-allow-origin', origin);
    if (request.method !== 'OPTIONS') return false;
    response.setHeader('access-control-allow-headers', 'authorization, content-type, git-protocol');
    response.writeHead(204).end();
    return true;
  };
}

function onServer(server: GitServer, script: string) {
  return run('sh', ['-ec', script], { cwd: server.folder, env: gitEnv(server.folder) });
}

/** Of real git, without anybody's settings. */
export function gitEnv(folder: string) {
  return { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
}

/** A repository with one commit on `main`, to which those who sign in may push. */
export async function makeRepository(server: GitServer): Promise<void> {
  await onServer(
    server,
    `git init --quiet --bare --initial-branch=main ${repository}; git clone --quiet ${repository} work 2>/dev/null
    cd work; git checkout --quiet -b main; echo one > file; git add .
    git -c user.name=Bob -c user.email=bob@example.org commit --quiet -m first; git push --quiet origin main`,
  );
}

/** Real git finds the commit on the server, and everything whole. */
export async function expectPushed(server: GitServer, commit: string): Promise<void> {
  const git = async (...words: string[]) =>
    (await run('git', ['-C', join(server.folder, repository), ...words])).stdout;
  expect(await git('fsck', '--strict', '--full')).toBe('');
  expect(await git('log', '-1', '--format=%H %an %ae %s', 'main')).toBe(
    `${commit} Ada ada@example.org second\n`,
  );
  expect(await git('show', 'main:file')).toBe('one\ntwo\n');
}
