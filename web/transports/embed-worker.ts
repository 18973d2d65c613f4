/**
 * What a frame of `/embed/` sends to the worker that runs its sandboxes, which may be that of other frames too: each is served with
 * sandboxes of its own, and is not told of those of another.
 */
export interface EmbedStart {
  /** Where the frame's backend is served. */
  readonly backend: MessagePort;
  /** A message through it, or its end, says that the frame is gone. */
  readonly life: MessagePort;
}
