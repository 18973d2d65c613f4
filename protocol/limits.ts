/** Every bound of the product, in one place; the name carries the unit. */
export const limits = {
  /** Largest init frame body, either way. */
  initFrameBytes: 65_536,
  /** v86 drops console input past one guest page (facts: generic port). */
  virtioInputBytes: 4_096,
  /** Bytes of one stream that may be under way without credit. */
  streamWindowBytes: 262_144,
  /** What is kept of what processes have said that nobody has adopted yet, in bytes. */
  unclaimedOutputBytes: 524_288,
  /** Processes the exec agent runs at once. */
  processes: 256,
  /** Processes that are told of a sandbox. */
  listedProcesses: 256,
  /** argv + env of one exec request. */
  execArgumentBytes: 49_152,
  /** Time that a sandbox gets to answer what it is asked in passing, such as where its shell stands. */
  lookTimeoutMs: 5_000,
  /** Output kept for the result of `commands.run`; more is dropped and counted. */
  resultOutputBytes: 8_388_608,
  /** Paths listed in a snapshot's change summary. */
  snapshotPaths: 64,
  /** Commands named as the cause of one capture, and bytes kept of each. */
  causeCommands: 8,
  causeCommandBytes: 256,
  /** Commands that a report tells of. */
  reportedCommands: 50,
  /** Quiet time after the last change before a capture, and the longest a change waits. */
  captureQuietMs: 400,
  captureMaxDelayMs: 3_000,
  /** The same while a command runs: its changes belong together, and its end captures at once. */
  captureQuietInCommandMs: 2_000,
  captureMaxDelayInCommandMs: 15_000,
  /** Time after which a capture that failed on a host is tried again, whatever happens meanwhile. */
  captureRetryMs: 15_000,
  /** Size of a sandbox's disk; past it the guest sees ENOSPC. */
  diskMiB: { min: 64, usual: 1_024, max: 65_536 },
  /**
   * Room that a host holds back on its disk, at most one part of so many of that, to start and to delete with when the
   * disk is full; how often it is looked whether the room can be held back again.
   */
  diskReserveBytes: 67_108_864,
  diskReserveParts: 16,
  diskReserveCheckMs: 10_000,
  /**
   * Where the kernel holds no sandbox to its disk: how often it is looked how much of the host's is free; how long
   * after a measurement the next one is due at the earliest while nothing says that the limit may be reached, and how
   * many times as long as one takes; what a process may write past it before it is killed, as logs and databases do.
   */
  diskWatchMs: 200,
  diskMeasureMs: 1_000,
  diskMeasureRests: 20,
  diskStrayBytes: 65_536,
  /** Room that a new sandbox has on its disk at least, beside the files that it begins with. */
  diskRoomMiB: 8,
  /** Memory of a machine in the tab: v86 puts the initramfs at 64 MiB. */
  memoryMiB: { min: 96, max: 1_024 },
  /** Of a sandbox on a host (row O-9). Its operator may set other maxima, up to `most`. */
  hostMemoryMiB: { min: 64, usual: 512, max: 8_192, most: 1_048_576 },
  hostDiskMiB: { min: 64, usual: 1_024, max: 16_384, most: 65_536 },
  hostCpuShares: { min: 2, usual: 256, max: 1_024, most: 262_144 },
  hostPids: { min: 16, usual: 128, max: 4_096, most: 4_194_304 },
  /** What a sandbox is told at its making: bytes of its environment, its labels, and what each of those has. */
  sandboxEnvBytes: 16_384,
  metadataEntries: 32,
  metadataKeyCharacters: 64,
  metadataValueCharacters: 256,
  /** How long a sandbox lives that has an end, from the last time that this was said, and how often a bridge looks. */
  sandboxTimeoutMs: { min: 1_000, max: 2_592_000_000 },
  expiryCheckMs: 1_000,
  /** Without a maximum of its operator's: as many processors as the host has, and any speed. */
  hostCpus: { min: 0.05, most: 4_096 },
  hostIoMiBps: { min: 1, most: 1_048_576 },
  /** Moments of a running machine: memory that they hold together, their number, and how many are taken in a second. */
  recordingBytes: 100_663_296,
  recordingMoments: 2_000,
  recordingPerSecond: { usual: 1, max: 20 },
  /** Of what a terminal has shown, what it shows again when its machine has gone back, and what is shown of a moment before. */
  terminalOutputBytes: 262_144,
  terminalPreviewBytes: 65_536,
  /** How often whoever listens is told that there are new moments, at most. */
  recordingToldEveryMs: 500,
  /** The line that the file of a snapshot begins with. */
  snapshotFileHeadBytes: 4_096,
  /** The image of the running machine that a reload goes on from: how often it is stored at most, and how much of it. */
  runningImageEveryMs: 1_000,
  /** After a command has ended, which is when people leave. */
  runningImageSoonMs: 100,
  runningImageBytesPerSecond: 2_097_152,
  /** Files of a sandbox's own that a fork of what runs is given at once; with more, they are copied from store to store. */
  handedBytes: 33_554_432,
  /** Pages of RAM that go at once to a machine that stands ready for a fork, ahead of it: 16 MiB, some 10 ms. */
  aheadPages: 4_096,
  /** How long a fork that runs waits for somebody to open it. */
  unopenedForkMs: 10_000,
  /** Bytes of such images that may be garbage before it is collected. */
  runningImageGarbageBytes: 67_108_864,
  /**
   * Moments of a recording that are stored: how many, the bytes of memory that they need together, how many are
   * sealed for one commit, and after how long without a command one is stored while something happens.
   */
  storedMoments: 200,
  storedMomentsBytes: 67_108_864,
  storedMomentsAtOnce: 4,
  storedMomentEveryMs: 10_000,
  /**
   * Of a snapshot that is shared: characters of one in a link, which browsers and messengers pass on whole; what is
   * unpacked of it; one behind a link; the link's own URL; time for the server to answer, and without a byte from it.
   */
  sharedLinkCharacters: 32_768,
  sharedLinkUnpackedBytes: 1_048_576,
  sharedFileBytes: 1_073_741_824,
  sharedUrlCharacters: 2_048,
  sharedAnswerTimeoutMs: 20_000,
  sharedIdleTimeoutMs: 60_000,
  /** A sandbox's name, which is one line. */
  sandboxNameCharacters: 128,
  /** Inodes of one tree. */
  inodes: 2_000_000,
  /** Time that a machine's worker has to start before the page draws itself. */
  workerHeadStartMs: 1_000,
  /** For a shell to show its prompt, before the page reads and draws what lies beside it. */
  shellHeadStartMs: 400,
  /** Time after it was opened that a sandbox may be unknown to other pages: the shell comes first. */
  serveDelayMs: 250,
  /** Time after a sandbox was opened before the next machine is made beside it, and the least memory of a device for that. */
  spareMachineDelayMs: 4_000,
  spareMachineDeviceGiB: 4,
  /** How often a host looks what a jail has changed while nobody asks. */
  hostLookIntervalMs: 5_000,
  /** Time that reading what the last start kept may take, and the most that its header holds. */
  keptStartTimeoutMs: 1_500,
  keptStartHeaderBytes: 4_096,
  /** Time after which RAM that was kept for a start is read whole, and its file let go of: before what is kept is looked at. */
  keptRamMs: 1_000,
  /** The most that is read of the note of what guests looked at first. */
  firstLookedAtBytes: 16_384,
  /** Time after the start before the first snapshot of a new sandbox: its shell comes first. */
  firstSnapshotDelayMs: 100,
  /** Time after the start before what the first commands read is fetched, and the rest of the image for offline use. */
  prefetchDelayMs: 300,
  offlineDelayMs: 2_000,
  /** Time after the start of a machine that has all of its RAM before it is copied for the first image: its init answers first. */
  firstImageDelayMs: 20,
  /** Time after the start of a machine before RAM that its guest has not looked at is put there. */
  lateRamDelayMs: 200,
  /** Age at which what is left of a sandbox that was never finished is cleared away. */
  unfinishedSandboxMs: 86_400_000,
  /** What is typed into a terminal while its shell is being opened; the rest is dropped. */
  typedAheadCharacters: 65_536,
  /** Events kept for a listener that joins late. */
  eventRing: 1_024,
  /** Largest file that the text diff and the editor open. */
  textDiffBytes: 2_097_152,
  /** Of a diff: how many changes it lists, and the largest file that is compared by content between two sandboxes. */
  diffChanges: 10_000,
  comparedFileBytes: 33_554_432,
  /** Of one piece of an archive, of which there is one at a time: its bytes, and paths it tells to be missing. */
  archivePieceBytes: 1_048_576,
  archivePieceMissing: 1_024,
  /** Missing paths of an archive that are kept; more are counted. */
  archiveMissing: 65_536,
  /** Of an archive that is unpacked: members, with directories that it leaves out, and bytes of their names. */
  unpackEntries: 200_000,
  unpackNamesBytes: 33_554_432,
  /** What remembering a member takes beside its name, about. */
  unpackEntryBytes: 96,
  /** What an archive may have beside its files' bytes. */
  unpackHeaderBytes: 268_435_456,
  /** What of it is looked at in one go: each header may become one for every directory above it. */
  unpackPieceBytes: 65_536,
  /** Time that it may take after its last byte; what is kept of what is said about it. */
  unpackEndTimeoutMs: 120_000,
  unpackSaidCharacters: 1_000,
  /** Snapshots that one backend takes in at once: each has a store open. */
  openIntakes: 16,
  /** Commands of one sandbox that wait for, or run in, its copy on a host. */
  hostRuns: 64,
  /** Snapshots that whoever asks for another one says to have already. */
  parcelHave: 64,
  /** Largest upload in one call. */
  uploadBytes: 268_435_456,
  /** Of an image: its manifest, one asset (stored or not), the files of one list in it. */
  imageManifestBytes: 1_048_576,
  imageAssetBytes: 536_870_912,
  imageAssets: 16_384,
  /** Images of a host that are listed. */
  hostImages: 64,
  /** Unpacked image packs kept in memory for reading. */
  imagePackCacheBytes: 16_777_216,
  /** Time that a browser's storage gets to show that it works. */
  storeProbeTimeoutMs: 5_000,
  /** Time that a terminal's programs have to end after it hung up. */
  hangupGraceMs: 2_000,
  /** Times that a guest is told the time until it was in time, how often is looked whether that is right, and by how much not. */
  clockAttempts: 5,
  clockLookMs: 5_000,
  clockStepMs: 50,
  /** Time that a process has which clears away what it has made, when its connection ends. */
  clearAwayMs: 10_000,
  /** Time after which one that was told to end, and has not, is told again. */
  tellToEndAgainMs: 500,
  /** Time for which captures wait for such a process: what else changes meanwhile is to be kept too. */
  clearedAwayPauseMs: 60_000,
  /** Time that a worker gets to clear away what an aborted start has made, and to close a sandbox: a capture is part of that. */
  abortTimeoutMs: 5_000,
  closeTimeoutMs: 60_000,
  /** Boot, restore and checkout deadlines. */
  bootTimeoutMs: 120_000,
  requestTimeoutMs: 30_000,
  /** A checkout whose processes do not die in time restarts the machine instead. */
  remountTimeoutMs: 10_000,
  /** Forks that nobody has opened and whose trees are kept in memory, which they share with their parents. */
  unopenedTrees: 8,
  /** Trees of snapshots kept loaded, so that going back to them is a pointer copy. */
  loadedTrees: 16,
  /** File content kept in memory that could be read again. */
  contentCacheBytes: 67_108_864,
  /** Snapshots between two rounds of retention. */
  retentionEvery: 32,
  /** Snapshots that one round must forget before their space is freed: that copies what stays. */
  collectAfterForgotten: 8,
  /**
   * Sandboxes that a bridge holds open at once, those of them that one account has opened to look on,
   * and how long one stays open that nobody uses.
   */
  openSandboxes: 128,
  readOnlySandboxesOfAccount: 16,
  idleSandboxMs: 600_000,
  /**
   * Of a bridge's HTTP server: connections that have shown a valid token, those of them of one account, connections that
   * have not, and those of one address (a browser opens six to a site; a network may have one address).
   */
  httpConnections: 2_048,
  httpConnectionsOfAccount: 1_024,
  httpUnauthenticatedConnections: 1_024,
  httpUnauthenticatedOfAddress: { min: 8, usual: 256, max: 1_024 },
  /** Bytes of all headers of a request, and of a JSON body. */
  httpHeaderBytes: 16_384,
  httpBodyBytes: 1_048_576,
  /** Time for the headers of a request to arrive, and for all of it: the largest upload on a slow line. */
  httpHeadersTimeoutMs: 10_000,
  httpRequestTimeoutMs: 600_000,
  /** Bytes of uploads that are held in memory at once, by all requests together and by those of one account: one of the largest. */
  httpUploadsBytes: 536_870_912,
  httpUploadsOfAccountBytes: 268_435_456,
  /** Time that whoever reads a download or a stream may take without reading. */
  httpStalledReaderMs: 60_000,
  /** Time between two signs of life on an event stream or a WebSocket. */
  heartbeatMs: 15_000,
  /** Run time of a command started over HTTP, unless the request says otherwise. */
  commandTimeoutMs: { usual: 60_000, max: 3_600_000 },
  /** Entries of one page of a list, and copies that one fork makes. */
  pageItems: { usual: 100, max: 1_000 },
  forks: 16,
  /** WebSockets of a bridge, those of one token, the largest message and its most fragments, pings in a heartbeat. */
  sockets: 512,
  socketsOfToken: 256,
  socketMessageBytes: 2_097_152,
  socketFragments: 1_024,
  socketPings: 64,
  /** Of the git proxy: requests under way, of one account, and bytes that one sends and gets. */
  gitRequests: 32,
  gitRequestsOfAccount: 8,
  gitRequestBytes: { fetch: 4_194_304, push: 268_435_456 },
  gitAnswerBytes: 2_147_483_648,
  /** What is passed on of an answer that says why there is none; addresses of a server that are tried. */
  gitErrorBytes: 65_536,
  gitAddresses: 16,
  /** Time to connect to a server of git, without a byte from it, and for all of one request. */
  gitConnectTimeoutMs: 10_000,
  gitIdleTimeoutMs: 60_000,
  gitTimeoutMs: 600_000,
  /** Of a workspace: characters of its URL and its branch or tag; bytes of the last part of its path, to which 15 come. */
  gitUrlCharacters: 1_024,
  gitRefCharacters: 255,
  workspaceNameBytes: 240,
  /** What is kept of what git says last, and of one line of it; time for one run of it, and for what is done before and after. */
  gitSaidCharacters: 4_000,
  gitLineCharacters: 200,
  gitCloneTimeoutMs: 1_800_000,
  workspaceStepTimeoutMs: 120_000,
  /** Requests per second and at once: of one address, of one token, and with a token that is not valid. */
  requestRates: {
    address: { perSecond: 200, burst: 800 },
    token: { perSecond: 200, burst: 800 },
    refused: { perSecond: 1, burst: 30 },
  },
  /** Addresses and tokens whose rates are remembered. */
  rateKeys: 8_192,
  /** Largest token that a client may present. */
  tokenBytes: 512,
  /** Time that what is under way has to end when a bridge stops. */
  stopTimeoutMs: 10_000,
  /**
   * Of traces: spans that wait to be sent, past which new ones are dropped, those sent at once, how long they wait for
   * others, the time that sending them may take, and that a bridge which stops waits for the last of them.
   */
  tracesQueuedSpans: 2_048,
  tracesBatchSpans: 512,
  tracesDelayMs: 5_000,
  tracesExportTimeoutMs: 30_000,
  tracesFlushTimeoutMs: 3_000,
  /** Of one message of the wire protocol, header included; and of what may be cut into several. */
  wireMessageBytes: 262_144,
  wireBodyBytes: 272_629_760,
  /** The JSON of one request. */
  wireRequestJsonBytes: 1_048_576,
  /** Of one wire session: calls under way, calls that wait to be one of them, handles and streams. */
  wireRequests: 1_024,
  wireWaitingCalls: 65_536,
  wireHandles: 1_024,
  /** Bytes of one wire stream that may be under way without credit, and messages that wait for it. */
  wireWindowBytes: 1_048_576,
  wireStreamQueue: 1_024,
  /** Bytes kept until the peer has said that it has them, and received ones before it is told. */
  wireUnacknowledgedBytes: 4_194_304,
  wireAcknowledgeBytes: 1_048_576,
  /** Of buffers that one session uses again, which hold a chunk of output with its header; and how many of them wait. */
  wirePooledFrameBytes: 32_768,
  wirePooledFrames: 64,
  /** Bytes given to a transport that have not left it before it asks to wait. */
  transportBufferBytes: 1_048_576,
  /** Time for the first words; time that a session outlives its transport; quiet time before it is asked after, and until it is given up. */
  wireHandshakeTimeoutMs: 10_000,
  wireGraceMs: 60_000,
  wirePingMs: 15_000,
  wireSilenceMs: 45_000,
  /** Before the end of its access a client has it renewed: a fifth of its time, at most so long; and once so often at most. */
  accessLeadMs: 60_000,
  accessRetryMs: 1_000,
  /** Time that whoever gives out tokens has for one. */
  tokenSupplyTimeoutMs: 20_000,
  /** Wire sessions of one server, those that wait for their client included; and those of one account. */
  wireSessions: 1_024,
  wireSessionsOfAccount: 256,
  /** Longest path that a Linux host opens (PATH_MAX without its NUL). */
  nativePathBytes: 4_095,
  /** Layers between trees that no root uses and that are kept for the next; layers of one root; trees that may be near it. */
  idleLayers: 32,
  rootLayers: 8,
  nearTrees: 64,
  /** Upper directories that were put aside on btrfs and that no root is made of at the moment. */
  keptUppers: 64,
  /** Time that making, snapshotting or deleting a subvolume may take; deletion goes on behind it. */
  subvolumeTimeoutMs: 15_000,
  /** Content of changed files read into memory while a jail stands still; of more, all is taken before it goes on. */
  scanAheadBytes: 8_388_608,
  /** Runs of data in one sparse file, on its way to a host's disk or back. */
  sparseRuns: 65_536,
  /** Of a host's registry: sandboxes, API tokens, a token's name, and how often its last use is written down. */
  registrySandboxes: 65_536,
  registryTokens: 4_096,
  tokenNameBytes: 128,
  tokenUsedEveryMs: 60_000,
  /** Sandboxes of one token that is not for all; tokens that one of those and its descendants are together. */
  tokenSandboxes: 64,
  tokensOfAccount: 256,
  /** Time that a token lasts which was made with another, unless the request says otherwise: for a page. */
  tokenTtlMs: { min: 1_000, usual: 900_000, max: 2_592_000_000 },
  /** How often it is looked whether the token of what is open is still valid: expired, or revoked elsewhere. */
  tokenRecheckMs: 5_000,
  /** Time that the registry waits for another process that writes to it; the server stands still meanwhile. */
  registryBusyTimeoutMs: 2_000,
  /** For the program that starts others to say its first word, which takes it a few milliseconds. */
  spawnerStartTimeoutMs: 10_000,
  /** Time that a jail gets to pass its own test, to stand still, and to be gone when it was ended. */
  jailStartTimeoutMs: 15_000,
  jailFreezeTimeoutMs: 5_000,
  jailEndTimeoutMs: 10_000,
  /** Time that a jail waits for another bridge when its own was killed, and that its sockets take to let one in. */
  jailReattachMs: { usual: 60_000, max: 86_400_000 },
  jailMeetTimeoutMs: 5_000,
  /** Largest note of what a jail is, for the bridge after this one; jails that one start looks at. */
  jailRecordBytes: 65_536,
  leftJails: 1_024,
  /** Time that newuidmap gets to say whether it works. */
  idRangeTimeoutMs: 5_000,
  /** Time that writing a little at a limited speed may take. */
  limitProbeTimeoutMs: 5_000,
  /** Connections that one jail has to elsewhere at a time, more of which wait; and those of all jails, more of which are refused. */
  networkFlows: 256,
  networkFlowsOfHost: 4_096,
  /** Connections and questions of one jail that begin in a second, after as many in one go as it may have connections. */
  networkBeginsPerSecond: 200,
  /** Of such a connection: time to say where it goes, to be there, without a byte, and likewise once one side has ended. */
  networkHeaderTimeoutMs: 5_000,
  networkConnectTimeoutMs: 15_000,
  networkIdleMs: 3_600_000,
  networkHalfOpenIdleMs: 300_000,
  /** Questions of one jail for names, and what an answer to one may take: without EDNS, as of RFC 1035. */
  networkQuestions: { perSecond: 50, burst: 200 },
  networkQuestionBytes: 512,
  networkAnswerBytes: 512,
  networkResolveTimeoutMs: 5_000,
  /** Of a sandbox: names of addresses that are remembered, and what is kept of what it did; sandboxes of which it is kept. */
  networkNames: 1_024,
  networkLogEntries: 512,
  networkLogs: 256,
  /** Ranges of addresses that an operator opens. */
  networkRanges: 256,
  /** What is kept of what a launcher says when it fails. */
  jailDiagnosticCharacters: 4_000,
} as const;
