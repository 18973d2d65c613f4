/** The first byte of every object (protocol/SPEC.md, O-2). */
export const objectKinds = {
  chunk: 0x01,
  chunkList: 0x02,
  directoryPage: 0x03,
  directoryIndex: 0x04,
  treeRoot: 0x05,
  /** Reserved for tree/history. */
  snapshotRecord: 0x06,
  /** Reserved for memory images. */
  memoryImage: 0x07,
  linkPage: 0x08,
} as const;

export type ObjectKind = (typeof objectKinds)[keyof typeof objectKinds];
