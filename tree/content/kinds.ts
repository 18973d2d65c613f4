/** The first byte of every object (protocol/SPEC.md, OB-2). */
export const objectKinds = {
  chunk: 0x01,
  chunkList: 0x02,
  directoryPage: 0x03,
  directoryIndex: 0x04,
  treeRoot: 0x05,
  /** Of tree/history. */
  snapshotRecord: 0x06,
  /** A running machine; only its head is read here (tree/history/memory-head.ts). */
  memoryImage: 0x07,
  linkPage: 0x08,
  /** Pages of memory images. */
  pageBundle: 0x09,
  treeDelta: 0x0a,
  /** A stored checkpoint; of tree/history. */
  checkpoint: 0x0b,
  /** What terminals and commands showed for a while (sandbox/output-log). It refers to nothing. */
  outputBatch: 0x0c,
} as const;

export type ObjectKind = (typeof objectKinds)[keyof typeof objectKinds];
