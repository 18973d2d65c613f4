/** What an import takes of a file that anyone may have made. */
export const importLimits = {
  /** Of one line, in bytes: a longer one is left out, and a note says so. Lines have whole images in them. */
  lineBytes: 16_777_216,
  /** Of a format that is one JSON document, in bytes. */
  documentBytes: 67_108_864,
  /** Arrays and objects within each other. */
  jsonDepth: 64,
  /** Of a file, from which its format is told. */
  detectBytes: 65_536,
  /** Events that are read before the header is made, for what it says: a title, a version. */
  headerEvents: 64,
  /** Calls of tools whose results have not come. The oldest is given up. */
  openCalls: 10_000,
  /** Events that wait for those of a sub-agent that happened before them. */
  heldEvents: 50_000,
  /** Lines of a rollout that are read ahead, in which a result's second account is looked for. */
  lookaheadLines: 256,
  /** The same, in UTF-16 units. */
  lookaheadUnits: 8_388_608,
  /** Of one file beside a session, in bytes, and how many of them are read. */
  sideFileBytes: 16_777_216,
  sideFiles: 10_000,
  /** Sub-agents within each other. */
  agentDepth: 4,
  /** Messages whose place in a tree is remembered. */
  treeNodes: 200_000,
  /** How long after a result a hook may have taken the snapshot of its call. */
  hookMs: 10_000,
  /** Of a title, in UTF-16 units. */
  titleUnits: 200,
  /** Of an event as JSON, in UTF-16 units: what a line of a recording has room for. */
  eventUnits: 1_000_000,
  /** Of one text in an event that is longer than that. */
  textUnits: 250_000,
  /** Notes about lines that were left out. */
  leftOutNotes: 100,
} as const;
