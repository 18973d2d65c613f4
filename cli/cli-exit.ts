/** A command that has said itself what there is to say ends with this code. */
export class CliExit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}
