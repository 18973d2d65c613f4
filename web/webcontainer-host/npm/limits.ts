/** Bounds of an install; the name carries the unit. */
export const installLimits = {
  /** Of one install: packages in its tree, requests at once, and time for all of it. */
  packages: 5_000,
  parallelRequests: 8,
  installMs: 600_000,
  /** Of one request: time for it, bytes of what a registry says of a package, and of a package's archive. */
  requestMs: 120_000,
  documentBytes: 33_554_432,
  archiveBytes: 134_217_728,
  /** Of what is unpacked: bytes and files of one package, and bytes and files of all of them. */
  packageBytes: 268_435_456,
  packageFiles: 50_000,
  totalBytes: 402_653_184,
  totalFiles: 150_000,
  /** Rounds in which a tree is looked at again for what replaced packages have left open. */
  rounds: 20,
  /** Of `package.json`, of a lock, and of `.npmrc`. */
  projectFileBytes: 33_554_432,
  /** Of what the browser keeps for the next time: bytes, and entries. */
  cacheBytes: 268_435_456,
  cacheEntries: 4_096,
} as const;
