/** A line that the two file systems tell differently, and why that is accepted. */
export interface KnownDifference {
  readonly tmpfs: string;
  readonly root: string;
  readonly why: string;
}

const capability = String.raw`b'\x01\x00\x00\x02\x00 ${String.raw`\x00`.repeat(14)}'`;
const noSecurity =
  'The kernel is built without 9P_FS_SECURITY, with which every write would first ask for security.capability';
const noAllocation = '9P2000.L has no message that allocates space or gives it back';
const forgotten =
  'The client asks the server about ".", and the server has forgotten a directory without a name';

/** By scenario, in the order of its trace. An entry that no longer holds fails the test. */
export const knownDifferences: Readonly<Record<string, readonly KnownDifference[]>> = {
  'attributes.times_are_set_to_the_nanosecond': [
    {
      tmpfs: '2',
      root: '0',
      why: 'The client takes the first second of 1970 for the earliest time there is',
    },
  ],
  'attributes.capabilities_of_a_file_go_with_a_write': [
    {
      tmpfs: `setxattr('f', 'security.capability', ${capability}) -> None`,
      root: `setxattr('f', 'security.capability', ${capability}) ENOTSUP`,
      why: noSecurity,
    },
    {
      tmpfs: `getxattr('f', 'security.capability') -> ${capability}`,
      root: "getxattr('f', 'security.capability') ENOTSUP",
      why: noSecurity,
    },
    {
      tmpfs: "getxattr('f', 'security.capability') ENODATA",
      root: "getxattr('f', 'security.capability') ENOTSUP",
      why: noSecurity,
    },
  ],
  'content.space_allocated_ahead_and_given_back': [
    {
      tmpfs: 'fallocate(0o5, 0, 0, 400000) -> None',
      root: 'fallocate(0o5, 0, 0, 400000) ENOTSUP',
      why: noAllocation,
    },
    {
      tmpfs: 'fallocate(0o5, 0o3, 0o144, 5000) -> None',
      root: 'fallocate(0o5, 0o3, 0o144, 5000) ENOTSUP',
      why: noAllocation,
    },
  ],
  'directories.a_working_directory_removed': [
    { tmpfs: 'list . 0 ', root: 'list . ENOENT', why: forgotten },
    { tmpfs: 'stat . 40755 links 0 owner 0:0 size - device 0', root: 'stat . ENOENT', why: forgotten },
  ],
  'times.what_changes_which_time': [
    {
      tmpfs: 'setxattr ctime later',
      root: 'setxattr ctime same',
      why: 'The client keeps its cached attributes when it sets an extended one',
    },
  ],
};
