/** What a figure must reach. */
export interface Goal {
  readonly at: 'least' | 'most';
  readonly value: number;
  /** How the figure comes about; "ours" is what this project makes. */
  readonly what: string;
}

/** The figures of `bench tab`, by the key under which they are printed. */
export const goals = {
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

export type FigureKey = keyof typeof goals;

/** All keys, in the order in which they are printed. */
export const figureKeys: readonly FigureKey[] = Object.keys(goals) as FigureKey[];

/** Whether a measured value reaches its goal. */
export function meetsGoal(key: FigureKey, value: number): boolean {
  const goal: Goal = goals[key];
  return goal.at === 'least' ? value >= goal.value : value <= goal.value;
}
