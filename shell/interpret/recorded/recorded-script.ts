/** What bash 5.2 prints for a script, and its exit status. */
export interface RecordedScript {
  readonly name: string;
  readonly script: string;
  readonly stdout: string;
  readonly status: number;
}
