/** Ours is a sandbox of runtime `shell`; the engine's is its own `Bash` with its own files in memory. */
export type StartSide = 'ours' | 'engine';

/** What each is asked first. */
export const startCommand = 'echo hi';
export const startOutput = 'hi\n';
