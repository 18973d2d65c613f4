/** A text file of an embed, by its path below the user's home directory. */
export interface EmbedFile {
  readonly path: string;
  readonly text: string;
}
