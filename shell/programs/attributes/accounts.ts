import type { TreeFiles } from '../../files/tree-files.ts';
import { decodeText, type ShellText } from '../../text.ts';

export interface Account {
  readonly name: ShellText;
  readonly uid: number;
  readonly gid: number;
  readonly fullName: ShellText;
  readonly home: ShellText;
  readonly shell: ShellText;
}

export interface Group {
  readonly name: ShellText;
  readonly gid: number;
  readonly members: readonly ShellText[];
}

const root: Account = { name: 'root', uid: 0, gid: 0, fullName: 'root', home: '/root', shell: '/bin/bash' };

/** The users and groups that `/etc/passwd` and `/etc/group` tell of; `root` is always there. */
export class Accounts {
  readonly users: readonly Account[];
  readonly groups: readonly Group[];

  constructor(files: TreeFiles) {
    const users = fields(files, '/etc/passwd').map(
      ([name = '', , uid, gid, fullName = '', home = '/', shell = '']) => ({
        name,
        uid: Number(uid),
        gid: Number(gid),
        fullName,
        home,
        shell,
      }),
    );
    const groups = fields(files, '/etc/group').map(([name = '', , gid, members = '']) => ({
      name,
      gid: Number(gid),
      members: members.split(',').filter((member) => member !== ''),
    }));
    this.users = users.some(({ uid }) => uid === 0) ? users : [root, ...users];
    this.groups = groups.some(({ gid }) => gid === 0)
      ? groups
      : [{ name: 'root', gid: 0, members: [] }, ...groups];
  }

  user(uid: number): Account | undefined {
    return this.users.find((user) => user.uid === uid);
  }

  userNamed(name: ShellText): Account | undefined {
    return this.users.find((user) => user.name === name);
  }

  group(gid: number): Group | undefined {
    return this.groups.find((group) => group.gid === gid);
  }

  groupNamed(name: ShellText): Group | undefined {
    return this.groups.find((group) => group.name === name);
  }

  userName(uid: number): ShellText {
    return this.user(uid)?.name ?? String(uid);
  }

  groupName(gid: number): ShellText {
    return this.group(gid)?.name ?? String(gid);
  }

  /** Of a user: the own group first. */
  groupsOf(user: Account): readonly number[] {
    const others = this.groups.filter(({ gid, members }) => gid !== user.gid && members.includes(user.name));
    return [user.gid, ...others.map(({ gid }) => gid)];
  }
}

function fields(files: TreeFiles, path: string): string[][] {
  try {
    const lines = decodeText(files.readFile(path)).split('\n');
    return lines.filter((line) => /^[^#:]+:[^:]*:\d+/.test(line)).map((line) => line.split(':'));
  } catch {
    return [];
  }
}
