/** What a figure must reach, if anything. */
export type Goal = ({ readonly at: 'least' | 'most'; readonly value: number } | { readonly at: 'any' }) & {
  /** How the figure comes about; "ours" is what this project makes. */
  readonly what: string;
};

/** The figures of `bench tab`, by the key under which they are printed. */
const tabGoals = {
  start_ratio: { at: 'least', value: 5, what: 'cold boot to prompt ÷ our start, image cached' },
  reload_ratio: { at: 'least', value: 5, what: 'cold boot to prompt ÷ reload with a stored history' },
  snapshot_scale: { at: 'most', value: 2, what: 'snapshot at 100,000 files ÷ at 1,000' },
  snapshot_us: { at: 'most', value: 50, what: 'snapshot in memory at 100,000 files, µs' },
  first_write_ratio: { at: 'most', value: 3, what: 'first 4 KiB write after a snapshot ÷ one without' },
  p9_small_ratio: { at: 'least', value: 2, what: "2,500 small files: v86's file system ÷ ours" },
  p9_bulk_ratio: { at: 'least', value: 2, what: "16 MiB write and read: v86's file system ÷ ours" },
  commit_ratio: { at: 'least', value: 5, what: 'strict IndexedDB put ÷ our durable commit, 256 KiB' },
  visitor_mib: { at: 'most', value: 12, what: 'first visit, bytes to the prompt, MiB' },
  tab_mib: { at: 'most', value: 450, what: 'renderer memory at the prompt, MiB' },
} as const satisfies Readonly<Record<string, Goal>>;

/** The figures of `bench bridge`. */
const bridgeGoals = {
  jail_start_ratio: { at: 'most', value: 1, what: 'our jail to first output byte ÷ bubblewrap to the same' },
  exec_ms_ratio: { at: 'most', value: 3, what: '`true` in a running jail by WebSocket ÷ bare posix_spawn' },
  branch_ratio: {
    at: 'most',
    value: 2,
    what: 'fork of 20,000 files to first output, on btrfs ÷ btrfs snapshot and our jail',
  },
  branch_ratio_overlay: { at: 'most', value: 2, what: 'the same with a sandbox on an overlay ÷ the same' },
  snapshot_pause_ms: {
    at: 'most',
    value: 20,
    what: 'pause of a live snapshot, 400 changed files, on btrfs, ms',
  },
  snapshot_pause_overlay_ms: { at: 'any', what: 'the same on an overlay, ms' },
  capture_gap_ms: {
    at: 'most',
    value: 50,
    what: 'longest stop by captures beside a writer of 345 MiB, on an overlay, ms',
  },
  capture_gap_btrfs_ms: { at: 'most', value: 50, what: 'the same on btrfs, ms' },
  diff_ms: { at: 'most', value: 50, what: 'diff of 400 changed files in 20,000, ms' },
  sync_bytes_ratio: {
    at: 'most',
    value: 1.2,
    what: 'bytes that promote an edit of 20 files ÷ `git push` of it',
  },
  sync_small: { at: 'most', value: 1 / 500, what: 'bytes moved for 1 changed byte of 64 MiB ÷ 64 MiB' },
  ws_bulk_ratio: { at: 'least', value: 0.3, what: 'stdout through the bridge ÷ raw Node pipe, bytes/s' },
  jails_50_s: { at: 'most', value: 2, what: '50 live jails with agent up, s' },
  jail_mib: { at: 'most', value: 1, what: 'memory of an idle jail, MiB' },
} as const satisfies Readonly<Record<string, Goal>>;

/** The figures of `bench live`. */
const liveGoals = {
  checkpoint_ratio: { at: 'least', value: 60, what: "v86's save_state ÷ our pause, some 190 written pages" },
  rewind_ratio: { at: 'least', value: 40, what: "v86's restore_state ÷ our pause, some 190 differing pages" },
  space_checkpoints: {
    at: 'least',
    value: 300,
    what: "checkpoints from prompt to prompt that fit in the bytes of one of v86's save_state",
  },
  fork_ratio: {
    at: 'least',
    value: 30,
    what: "v86 made and put at a state ÷ our fork of what runs, to the guest's first instruction",
  },
  live_reload_ratio: {
    at: 'most',
    value: 2,
    what: 'reload of what runs until its shell answers ÷ `new V86` in a page until it is loaded',
  },
  fork_mib: { at: 'most', value: 40, what: 'renderer memory that an idle fork of a 128 MiB guest adds, MiB' },
  recording_slowdown: { at: 'most', value: 1.03, what: 'guest work with 20 checkpoints a second ÷ without' },
  storing_slowdown: {
    at: 'any',
    what: 'the same while all of it is stored too, as in the tab ÷ with neither',
  },
  hash_ratio: { at: 'least', value: 0.8, what: "GB/s of the page hash ÷ WebAssembly's memory.copy" },
  diff_scaling: {
    at: 'most',
    value: 1.3,
    what: 'rewind at 320 MiB of RAM ÷ at 80 MiB, after the same command',
  },
} as const satisfies Readonly<Record<string, Goal>>;

/** The figures of `bench visitor`: browsers at their default settings, with empty profiles. */
const visitorGoals = {
  first_python_ratio: { at: 'least', value: 1.6, what: "a first python: v86's own settings ÷ ours" },
  git_200_ratio: { at: 'least', value: 2, what: 'git init, add and commit of 200 files: the same' },
  cpu_loop_ratio: { at: 'least', value: 1.4, what: 'a loop of python, the second run: the same' },
  firefox_ratio: { at: 'least', value: 0.9, what: 'the worst of these three in Firefox' },
  first_python_s: { at: 'most', value: 2.5, what: 'a first python, s' },
  git_200_s: { at: 'most', value: 4.5, what: 'git init, add and commit of 200 files, s' },
  create_2000_ratio: {
    at: 'least',
    value: 0.25,
    what: "2,000 small files by python: guest's tmpfs ÷ its root",
  },
  renderer_mib: { at: 'most', value: 500, what: "renderer memory after an hour's work, MiB" },
  long_commands_ms: { at: 'most', value: 50, what: 'a key until it is shown, after 300 commands, ms' },
  long_snapshots_ms: { at: 'most', value: 50, what: 'the same after 1,000 snapshots' },
  long_files_ms: { at: 'most', value: 50, what: 'the same after 20,000 files were made' },
  long_large_file_ms: { at: 'most', value: 50, what: 'the same after a file of 200 MiB' },
} as const satisfies Readonly<Record<string, Goal>>;

/** The figures of `bench light`: shells in the process, shells that live, git, and the way up. */
const lightGoals = {
  shell_start_ms: { at: 'most', value: 3, what: 'a shell and its first `echo`, the second in a process, ms' },
  shell_agreement: { at: 'least', value: 0.93, what: "Oils' cases that our shell answers as bash does" },
  shell_start_ratio: { at: 'most', value: 1.5, what: 'the start ÷ that of the bare engine' },
  shell_fs_ratio: { at: 'most', value: 1.3, what: 'script over 5,000 files, our tree ÷ the bare engine' },
  shell_snapshot_us: { at: 'most', value: 50, what: 'a snapshot of a shell with 100,000 files, µs' },
  session_ms_ratio: {
    at: 'most',
    value: 1,
    what: "a command in a jail's shell ÷ `bash -c` in the same jail",
  },
  clone_ratio: { at: 'most', value: 1.2, what: "2,000 files into the tree ÷ git's library into maps" },
  git_add_ratio: { at: 'most', value: 0.1, what: 'add and commit of 1 file in 2,000 ÷ the library alone' },
  escalate_ms: { at: 'most', value: 300, what: 'from a shell to the machine in the tab, ready, ms' },
} as const satisfies Readonly<Record<string, Goal>>;

/** The figures of `bench rewind`: the command line, and agents that run under it. */
const rewindGoals = {
  capture_latency_ms: {
    at: 'most',
    value: 60,
    what: 'change in the background, root of 300 MB, until its snapshot is durable, after the quiet time, ms',
  },
  checkout_ratio: {
    at: 'most',
    value: 1 / 30,
    what: 'checkout until the agent runs again ÷ `cp -a` of the root',
  },
  run_ms_ratio: { at: 'most', value: 3, what: '`coppice run true` in a jail ÷ `node -e 0` and a `bwrap`' },
  cli_ms_ratio: {
    at: 'most',
    value: 20,
    what: '`coppice log` of 10,000 snapshots ÷ `git log --oneline` of as many commits',
  },
  tournament_overhead: {
    at: 'most',
    value: 1.5,
    what: '20 candidates of 0.2 s, two at a time, ÷ plain processes',
  },
  agent_overhead: { at: 'most', value: 1.15, what: 'a build under `supervise` ÷ the same without' },
} as const satisfies Readonly<Record<string, Goal>>;

/** The figures of `bench replay`. */
const replayGoals = {
  open_ms: { at: 'most', value: 1_000, what: 'a recording of 1 h (100 MB of output) to its first frame, ms' },
  seek_ms: { at: 'most', value: 100, what: 'anywhere in it to its frame, p95, ms' },
  embed_kib: { at: 'most', value: 40, what: 'transferred for the first picture of an embedded replay, KiB' },
  embeds_10_mib: { at: 'most', value: 3, what: 'memory of ten shell embeds on a page ÷ of one' },
  record_overhead: {
    at: 'most',
    value: 1.05,
    what: 'a build in a jail while it is recorded ÷ the same without',
  },
  size_ratio: { at: 'most', value: 1.2, what: 'recording ÷ packed asciicast and `git bundle` of the same' },
  takeover_ms: { at: 'most', value: 700, what: '*Continue from here* until the prompt answers, ms' },
} as const satisfies Readonly<Record<string, Goal>>;

const goals = {
  ...tabGoals,
  ...bridgeGoals,
  ...liveGoals,
  ...visitorGoals,
  ...lightGoals,
  ...rewindGoals,
  ...replayGoals,
};

export type FigureKey = keyof typeof goals;

/** The keys of each suite, in the order in which they are printed. */
export const suites = {
  tab: Object.keys(tabGoals) as FigureKey[],
  bridge: Object.keys(bridgeGoals) as FigureKey[],
  live: Object.keys(liveGoals) as FigureKey[],
  visitor: Object.keys(visitorGoals) as FigureKey[],
  light: Object.keys(lightGoals) as FigureKey[],
  rewind: Object.keys(rewindGoals) as FigureKey[],
  replay: Object.keys(replayGoals) as FigureKey[],
} as const satisfies Readonly<Record<string, readonly FigureKey[]>>;

export type Suite = keyof typeof suites;

/** What `key` must reach. */
export function goalOf(key: FigureKey): Goal {
  return goals[key];
}

/** Whether a measured value reaches its goal. */
export function meetsGoal(key: FigureKey, value: number): boolean {
  const goal = goalOf(key);
  if (goal.at === 'any') return true;
  return goal.at === 'least' ? value >= goal.value : value <= goal.value;
}
