import type { CommandResult, Sandbox, SandboxRecording, SnapshotInfo } from 'coppice';

/** A session that `npm run demos` records, and the page of demos shows. */
export interface Demo {
  readonly title: string;
  /** What there is to see, in one sentence. */
  readonly sentence: string;
  /** Of a machine; without one it is played in a shell. */
  readonly image?: string;
  play(stage: DemoStage): Promise<void>;
}

/** What a demo is played on. */
export interface DemoStage {
  readonly sandbox: Sandbox;
  readonly recording: SandboxRecording;
  /** Runs a command in the demo's one shell, where directories and variables stay, until what it changed is in the history. */
  run(command: string): Promise<CommandResult>;
  /** The state that there is now, to go back to. */
  here(): Promise<SnapshotInfo['id']>;
  /** Installs what the `package.json` of a folder names, as the page does for a machine without npm; answers what npm would print. */
  install(folder: string): Promise<string>;
  /** Makes a snapshot the state that there is now. */
  goTo(snapshot: string): Promise<void>;
}
