/** The file of a recording that is under way, as far as it has come. */
export class FollowedFile {
  /** All of its pieces. */
  readonly whole: Promise<readonly Uint8Array[]>;
  readonly #pieces: Uint8Array[] = [];
  #text = '';
  #grown = Promise.withResolvers<void>();

  constructor(recording: AsyncIterable<Uint8Array>) {
    this.whole = this.#follow(recording);
  }

  /** Resolves when a snapshot is in it, whole. */
  async shows(snapshot: string): Promise<void> {
    const shown = JSON.stringify(`"type":"snapshot","id":"${snapshot}"`).slice(1, -1);
    while (!this.#text.includes(shown)) await this.#grown.promise;
  }

  async #follow(recording: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
    const decoder = new TextDecoder();
    for await (const piece of recording) {
      this.#pieces.push(piece);
      this.#text += decoder.decode(piece, { stream: true });
      this.#grown.resolve();
      this.#grown = Promise.withResolvers();
    }
    return this.#pieces;
  }
}
