import type { GitFileCalls } from './git-files.ts';

/** The calls as an object of its own, some of which may be replaced. */
export function boundCalls(calls: GitFileCalls): GitFileCalls {
  return {
    readFile: (...args) => calls.readFile(...args),
    writeFile: (...args) => calls.writeFile(...args),
    mkdir: (path) => calls.mkdir(path),
    rmdir: (path) => calls.rmdir(path),
    unlink: (path) => calls.unlink(path),
    stat: (path) => calls.stat(path),
    lstat: (path) => calls.lstat(path),
    readdir: (path) => calls.readdir(path),
    readlink: (path) => calls.readlink(path),
    symlink: (...args) => calls.symlink(...args),
  };
}
