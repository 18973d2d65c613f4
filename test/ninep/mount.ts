import { LiveTree } from '../../tree/live/live-tree.ts';
import { NinePServer } from '../../tree/ninep/ninep-server.ts';
import { openFlag } from '../../tree/ninep/open-flags.ts';
import { NinePClient } from './ninep-client.ts';

/** A server over `tree` with a client that has attached as `uid`. A fault of the server fails the test. */
export function mount(tree: LiveTree = new LiveTree(), uid = 0) {
  const onFault = (error: unknown) => {
    throw error;
  };
  const server = new NinePServer(tree, { onFault });
  const client = new NinePClient(server);
  return { tree, server, client, root: client.attach(uid) };
}

/** As v9fs_vfs_atomic_open_dotl: clones the directory, creates there, walks to the file for its attributes. Answers the open fid. */
export function createFile(
  client: NinePClient,
  directory: number,
  name: string,
  { flags = openFlag.readWrite as number, mode = 0o100644 } = {},
): number {
  const fid = client.walk(directory);
  client.create(fid, name, { flags, mode });
  client.getattr(client.walk(directory, name));
  return fid;
}

/** As the shell's `ls -f`: every entry of an open directory, `count` bytes at a time. */
export function list(client: NinePClient, directory: number, count?: number): string[] {
  const fid = client.walk(directory);
  client.open(fid, openFlag.readOnly | openFlag.directory);
  const names: string[] = [];
  for (let offset = 0; ; ) {
    const entries = client.readdir(fid, offset, count);
    const last = entries.at(-1);
    if (last === undefined) break;
    names.push(...entries.map((entry) => entry.name));
    offset = last.offset;
  }
  client.clunk(fid);
  return names;
}
