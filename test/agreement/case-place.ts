import type { SuiteCase } from './suite.ts';

/** Where a case runs, the same in real bash's sandbox and in our tree. */
export const suiteFolder = '/oils';
export const caseFolder = '/tmp/case';
export const hostname = 'agreement';

/** What the suite's own runner sets: nothing else comes from this machine. */
export const caseEnvironment: ReadonlyMap<string, string> = new Map([
  ['PATH', `${suiteFolder}/spec/bin:/usr/bin:/bin`],
  ['LC_ALL', 'C.UTF-8'],
  ['LOCALE_ARCHIVE', ''],
  ['OILS_GC_ON_EXIT', ''],
  ['REPO_ROOT', suiteFolder],
  ['SH', 'bash'],
  ['TMP', caseFolder],
]);

export const users = [
  { name: 'root', uid: 0, gid: 0, home: '/root' },
  { name: 'user', uid: 1000, gid: 1000, home: '/home/user' },
] as const;

/** What `/etc` has: nothing of this machine. */
export const systemFiles: ReadonlyMap<string, string> = new Map([
  [
    '/etc/passwd',
    users.map(({ name, uid, gid, home }) => `${name}:x:${uid}:${gid}::${home}:/bin/bash\n`).join(''),
  ],
  ['/etc/group', users.map(({ name, gid }) => `${name}:x:${gid}:\n`).join('')],
]);

/** The folders that a case finds. */
export function foldersOf({ hasTmpFolder }: Pick<SuiteCase, 'hasTmpFolder'>): readonly string[] {
  const homes = ['/root', '/home', '/home/user'];
  return [...homes, caseFolder, ...(hasTmpFolder ? [`${caseFolder}/_tmp`] : [])];
}

/** What a shell answers. Output is bytes, one a character. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  /** 128 and its number where a signal ended it. */
  readonly status: number;
}

/** Most bytes of output that are looked at. */
export const outputBytes = 4 * 2 ** 20;
