/** Every bound of the product, in one place; the name carries the unit. */
export const limits = {
  /** Largest init frame body, either way. */
  initFrameBytes: 65_536,
  /** v86 drops console input past one guest page (facts: generic port). */
  virtioInputBytes: 4_096,
  /** Bytes of one stream that may be under way without credit. */
  streamWindowBytes: 262_144,
  /** Output kept of processes that no client has adopted yet. */
  unclaimedOutputBytes: 524_288,
  /** Processes the exec agent runs at once. */
  processes: 256,
  /** Processes in one list of what runs in a sandbox. */
  listedProcesses: 256,
  /** argv + env of one exec request. */
  execArgumentBytes: 49_152,
  /** Time for a sandbox to answer a short question, such as the directory of its shell. */
  lookTimeoutMs: 5_000,
  /** Time for a shell to say where it stands when work moves: a guest on a busy machine takes seconds. */
  shellContextTimeoutMs: 30_000,
  /**
   * Of a sandbox: its shells; of each: runs that wait for the one before, bytes of the state that a snapshot has of it, bytes
   * that it may report of its state after a run, input of a run, and the latest commands that its history keeps.
   */
  shells: 32,
  shellWaitingRuns: 16,
  shellStateBytes: 262_144,
  /** Of a shell's state that comes from outside, with its history. */
  savedShellBytes: 1_048_576,
  /** Sandboxes that a shell which moves has left and is to delete: of more, the oldest is deleted at once. */
  routedShellLeft: 8,
  shellReportBytes: 67_108_864,
  shellStdinBytes: 16_777_216,
  /** Input that all runs of a sandbox's shells hold; time for a shell to open, and between two writes of a run's input. */
  shellsStdinBytes: 67_108_864,
  shellOpenTimeoutMs: 30_000,
  shellStdinTimeoutMs: 60_000,
  /** Time for a shell's bash to take the standard input of a command, s: one that a checkpoint has cut off never comes. */
  shellInputTimeoutSeconds: 60,
  /** Time after its last command at which a bash ends that has nothing but the state of its shell. */
  shellIdleMs: 60_000,
  shellHistoryCommands: 500,
  shellHistoryBytes: 65_536,
  /** What a client may allow a command of a shell in the process at most (`CommandLimits`). */
  commandLimits: {
    commands: 9_007_199_254_740_991,
    loopIterations: 9_007_199_254_740_991,
    callDepth: 10_000,
    hereDocumentBytes: 16_777_216,
  },
  /** Output kept for the result of `commands.run`; more is dropped and counted. */
  resultOutputBytes: 8_388_608,
  /** Paths listed in a snapshot's change summary. */
  snapshotPaths: 64,
  /** Of why a snapshot lacks files. */
  coverageCharacters: 512,
  /** Commands named as the cause of one capture, and bytes kept of each. */
  causeCommands: 8,
  causeCommandBytes: 256,
  /** What a snapshot says of these commands (`RanCommand`): bytes of all, and characters of the arguments of one. */
  ranCommandsBytes: 16_384,
  ranArgvCharacters: 1_024,
  /** Commands in a report. */
  reportedCommands: 50,
  /** Quiet time after the last change before a capture, and the longest a change waits. */
  captureQuietMs: 400,
  captureMaxDelayMs: 3_000,
  /** The same while a command runs: its changes belong together, and its end captures at once. */
  captureQuietInCommandMs: 2_000,
  captureMaxDelayInCommandMs: 15_000,
  /**
   * A capture or look of `t` is followed by none of its own accord for this many `t`, at most `captureRestMs`: files that
   * take long to read must not keep a jail frozen. The end of a command captures at once all the same.
   */
  captureRestShare: 4,
  /** A snapshot that is asked for says how long programs stood still for it, where that is at least this long. */
  toldStopMs: 50,
  /** The same for the time that programs stand still for one that nothing has asked for: at most one part in a hundred. */
  captureStopShare: 99,
  captureRestMs: 60_000,
  /** Time after which a host retries a capture that failed. */
  captureRetryMs: 15_000,
  /** Size of a sandbox's disk; past it the guest sees ENOSPC. */
  diskMiB: { min: 64, usual: 1_024, max: 65_536 },
  /**
   * Disk space that a host reserves, so that it can start sandboxes and delete files when its disk is full: this many
   * bytes, or one part in `diskReserveParts` of the disk if that is less. Where less is free it reserves half of that, with
   * `diskReserveLeastBytes` at least. How often it tries to reserve what it had to use.
   */
  diskReserveBytes: 67_108_864,
  diskReserveParts: 16,
  diskReserveLeastBytes: 262_144,
  diskReserveCheckMs: 10_000,
  /**
   * Where no quota of the kernel limits a sandbox's disk: how often the host reads its free space; the shortest pause
   * between two measurements of a sandbox while its limit cannot have been reached, in time and as a multiple of what a
   * measurement takes; bytes that a process may write past the limit before it is killed, since logs and databases write some.
   */
  diskWatchMs: 200,
  diskMeasureMs: 1_000,
  diskMeasureRests: 20,
  diskStrayBytes: 65_536,
  /** Least free space on the disk of a new sandbox, beside the files of its image. */
  diskRoomMiB: 8,
  /** Memory of a machine in the tab: v86 puts the initramfs at 64 MiB. */
  memoryMiB: { min: 96, max: 1_024 },
  /** Of a sandbox on a host (row O-9). Its operator may set other maxima, up to `most`. */
  hostMemoryMiB: { min: 64, usual: 512, max: 8_192, most: 1_048_576 },
  hostDiskMiB: { min: 64, usual: 1_024, max: 16_384, most: 65_536 },
  hostCpuShares: { min: 2, usual: 256, max: 1_024, most: 262_144 },
  hostPids: { min: 16, usual: 128, max: 4_096, most: 4_194_304 },
  /**
   * Of the process of a shell on a host: memory of its own that it takes without any script, beside the sandbox's; what the
   * kernel lets it have beyond that, as V8 reserves memory that it does not use; how often its host looks.
   */
  shellOwnMiB: 128,
  shellReservedMiB: 2_048,
  shellMemoryLookMs: 200,
  /** What it has of Linux's nice and `oom_score_adj`: less than its bridge of processor time, and ended before it. */
  shellNice: 5,
  shellOomScore: 500,
  /** Its start; how often it is asked whether it answers, and how long it may be silent; questions of its own that wait; what it complains of that is read. */
  shellStartTimeoutMs: 60_000,
  shellPingMs: 5_000,
  shellAnswerMs: 30_000,
  shellQuestions: 64,
  shellComplaintBytes: 4_096,
  /** Of a new sandbox: bytes of its environment; its labels, and the characters of each one's name and value. */
  sandboxEnvBytes: 16_384,
  metadataEntries: 32,
  metadataKeyCharacters: 64,
  metadataValueCharacters: 256,
  /** Lifetime of a sandbox, counted from the last `setTimeout`; how often a bridge looks for sandboxes that have expired. */
  sandboxTimeoutMs: { min: 1_000, max: 2_592_000_000 },
  expiryCheckMs: 1_000,
  /** If the operator sets no maximum: as many processors as the host has, and any speed. */
  hostCpus: { min: 0.05, most: 4_096 },
  hostIoMiBps: { min: 1, most: 1_048_576 },
  /** Checkpoints of a running machine: memory for all of them, their number, and how many are taken in a second. */
  checkpointsBytes: 100_663_296,
  checkpoints: 2_000,
  checkpointsPerSecond: { usual: 1, max: 20 },
  /** Terminal output that is replayed after a restore, and in the preview of a checkpoint. */
  terminalOutputBytes: 262_144,
  terminalPreviewBytes: 65_536,
  /**
   * What a page's terminal takes of a sandbox: bytes at a time, between which the page works; characters of one command
   * with text (OSC); characters in a cell, as those of an emoji; lines with links whose addresses it knows, more than a
   * screen has.
   */
  terminalWriteBytes: 1_024,
  terminalCommandCharacters: 4_096,
  terminalCellCharacters: 16,
  terminalLinkLines: 256,
  /** Least time between two `checkpoints` events. */
  checkpointsToldEveryMs: 500,
  /**
   * Of recordings: those of a sandbox at a time; characters of the id of one, of its title, and of the JSON of an added event; secret
   * values that it is told, and characters of each.
   */
  recordings: 4,
  recordingIdCharacters: 64,
  recordingTitleCharacters: 256,
  recordingEventCharacters: 524_288,
  /** Of what a tool was called with, and of what it answered, as JSON. */
  recordingCallCharacters: 131_072,
  recordingSecrets: 256,
  recordingSecretCharacters: 1_024,
  /**
   * What it holds: of its file that nobody has read, past which its writer waits; output that waits for its writer, past which
   * further output is left out; and all together, past which it ends.
   */
  recordingReadAheadBytes: 4_194_304,
  recordingOutputAheadBytes: 8_388_608,
  recordingBacklogBytes: 33_554_432,
  /**
   * How long what is new may wait for its writer; how long the result of a tool waits for the snapshot of what it has changed; how
   * long snapshots may take that are due before the beginning, and that go in after `stop`.
   */
  recordingFlushMs: 200,
  /** What is written at a time of a session that goes on, and how many times as long its writer rests after that. */
  recordingWorkMs: 8,
  recordingRests: 3,
  recordingSettleMs: 2_000,
  recordingStopMs: 60_000,
  /** The same of one that holds its image. */
  recordingImageStopMs: 900_000,
  /** Outputs of one stream that come so close after one another are one event, of at most so many bytes. */
  recordingJoinMs: 16,
  recordingJoinBytes: 16_384,
  /** Characters of a command's text in it; snapshots that wait to go in, past which further ones are left out. */
  recordingCommandCharacters: 16_384,
  recordingWaitingSnapshots: 1_024,
  /**
   * Of what a sandbox showed that its store keeps: bytes and batches of all, past which the oldest go; text of a batch, and how long it
   * waits for more; bytes that are stored in a second, once a whole ring was: what is more is left out.
   */
  outputLogBytes: 8_388_608,
  outputLogBatches: 4_096,
  outputBatchBytes: 65_536,
  outputBatchMs: 5_000,
  outputLogBytesPerSecond: 65_536,
  /** Garbage of batches that have gone at which it is collected. */
  outputGarbageBytes: 33_554_432,
  /** A shorter batch is stored as it is: to deflate it takes more time than it saves room. */
  outputPlainCharacters: 1_024,
  /** Terminals that each batch says anew to be open, and characters of the title of each. */
  outputBatchTerminals: 16,
  outputTitleCharacters: 256,
  /** The header line of a snapshot's file. */
  snapshotFileHeadBytes: 4_096,
  /** The checkpoint that a reload resumes from: least time between two stores of it, and bytes written in a second. */
  runningImageEveryMs: 1_000,
  /** Delay of that after a command has ended: users often close the page then. */
  runningImageSoonMs: 100,
  runningImageBytesPerSecond: 2_097_152,
  /** Changed files that are sent to a fork of a running sandbox in one message; if there are more, they are copied from store to store. */
  handedBytes: 33_554_432,
  /** Pages of RAM in one pre-copy to the standby worker: 16 MiB, which take about 10 ms. */
  aheadPages: 4_096,
  /** How long a fork runs before it is closed because no client opened it. */
  unopenedForkMs: 10_000,
  /** Garbage of superseded checkpoints at which it is collected. */
  runningImageGarbageBytes: 67_108_864,
  /**
   * Checkpoints that are stored: their number, bytes of memory of all of them, how many one commit seals, and the interval
   * at which one is stored while the machine works but no command ends.
   */
  storedCheckpoints: 200,
  storedCheckpointsBytes: 67_108_864,
  storedCheckpointsAtOnce: 4,
  storedCheckpointEveryMs: 10_000,
  /**
   * Of a shared snapshot: characters of a link that contains one, short enough that browsers and messengers do not cut it;
   * its unpacked size; the size of a file that a link points to; that file's URL; time for its server to answer, and
   * time without a byte from it.
   */
  sharedLinkCharacters: 32_768,
  sharedLinkUnpackedBytes: 1_048_576,
  sharedFileBytes: 1_073_741_824,
  sharedUrlCharacters: 2_048,
  sharedAnswerTimeoutMs: 20_000,
  sharedIdleTimeoutMs: 60_000,
  /** A sandbox's name: one line. */
  sandboxNameCharacters: 128,
  /** Inodes of one tree. */
  inodes: 2_000_000,
  /** Time that the page leaves to the start of the worker before it renders the rest of itself. */
  workerHeadStartMs: 1_000,
  /** Time that the page leaves to the first prompt before it loads and renders its other panels. */
  shellHeadStartMs: 400,
  /**
   * A first visit opens a shell while its machine is downloaded if, after so long a download, the rest seems to take at least
   * so long, or if nothing has come for so long. How often it looks.
   */
  shellFirstDelayMs: 500,
  shellFirstLeastMs: 1_500,
  shellFirstSilenceMs: 2_000,
  shellFirstLookMs: 250,
  /** How long the page waits for a site that is still making its image, and how often it asks at least and at most. */
  imageMakingMs: 3_600_000,
  imageMakingLookMs: 5_000,
  imageMakingSoonestMs: 250,
  /** Delay before a newly opened sandbox can be found by other pages: its shell starts first. */
  serveDelayMs: 250,
  /** Delay before the standby worker is started, and the least memory of a device that gets one. */
  spareMachineDelayMs: 4_000,
  spareMachineDeviceGiB: 4,
  /**
   * Interval at which a host looks for changes in a running jail that nothing watches, and at which it asks whether one that
   * is watched has files mapped, of which no watch tells. The interval of looks at one that is watched all the same.
   */
  hostLookIntervalMs: 5_000,
  hostLookWatchedMs: 60_000,
  /**
   * Directories of all sandboxes of a host that are watched one by one (inotify): at most, and at most half of what the
   * kernel has left for the user. The sandbox that has most is polled where there are more.
   */
  hostWatches: 65_536,
  /** Directories of a sandbox in which changes wake no capture, and characters of their paths together. */
  ignoredPaths: 32,
  ignoredPathsCharacters: 4_096,
  /** Longest time that a look waits to be told of what happened before it. */
  hostWatchDrainMs: 100,
  /** Time for the doctor to find out what watches there are. */
  hostWatchProbeMs: 1_000,
  /** Delay of starting the program that watches again after it has died. */
  hostWatchRestartMs: 1_000,
  /** Time to read the file that caches what a start reads, and bytes of its header. */
  keptStartTimeoutMs: 1_500,
  keptStartHeaderBytes: 4_096,
  /** Time after which the rest of the cached RAM is read and its file closed, before the cache is checked. */
  keptRamMs: 1_000,
  /** Bytes of the list of pages that a guest accesses first. */
  firstLookedAtBytes: 16_384,
  /** Delay of a new sandbox's first snapshot: its shell starts first. */
  firstSnapshotDelayMs: 100,
  /** Delay before the files that first commands read are prefetched, and before the rest of the image is fetched for offline use. */
  prefetchDelayMs: 300,
  offlineDelayMs: 2_000,
  /** Delay of copying RAM for the first checkpoint after all of RAM is loaded: init answers first. */
  firstImageDelayMs: 20,
  /** Delay after which pages that the guest has not accessed yet are loaded in the background. */
  lateRamDelayMs: 200,
  /** Age at which the remains of a sandbox whose creation never finished are deleted. */
  unfinishedSandboxMs: 86_400_000,
  /** Input kept while a terminal's shell starts; more is dropped. */
  typedAheadCharacters: 65_536,
  /** Events kept for a listener that joins late. */
  eventRing: 1_024,
  /** Largest file that the text diff and the editor open. */
  textDiffBytes: 2_097_152,
  /** Files that are read for one page of patches, after the last of which a page ends. */
  patchedPageBytes: 8_388_608,
  /** Of a comparison in the page: changes that it shows, and the largest file whose content is compared between two sandboxes. */
  diffChanges: 10_000,
  comparedFileBytes: 33_554_432,
  /** Of one piece of an archive: its bytes, and the missing paths that it names. There is one piece in memory at a time. */
  archivePieceBytes: 1_048_576,
  archivePieceMissing: 1_024,
  /** Missing paths that are listed for an archive; more are only counted. */
  archiveMissing: 65_536,
  /** Files that an archive of what differs from another snapshot is made of. */
  archiveChanges: 200_000,
  /** Paths that such an archive leaves out. */
  archiveExcept: 64,
  /** Of an archive that is unpacked: its members, including parent directories that it does not list, and bytes of their names. */
  unpackEntries: 200_000,
  unpackNamesBytes: 33_554_432,
  /** Memory that a member takes beside its name, roughly. */
  unpackEntryBytes: 96,
  /** Bytes of an archive that are not file content. */
  unpackHeaderBytes: 268_435_456,
  /** Bytes of it that are checked at a time: one header can produce a header for every directory above it. */
  unpackPieceBytes: 65_536,
  /** Time to finish after its last byte; characters kept of tar's messages. */
  unpackEndTimeoutMs: 120_000,
  unpackSaidCharacters: 1_000,
  /** Of an archive that replaces all files: bytes that are in memory at most before what came is stored. */
  restoreUnsealedBytes: 33_554_432,
  /** Of an archive that a new sandbox begins with: bytes in memory that no store has yet, and of file content that one has. */
  layUnsavedBytes: 4_194_304,
  layCacheBytes: 8_388_608,
  /** Programs that a command did not find, of which its result tells; characters of their names. */
  missingPrograms: 16,
  missingProgramCharacters: 64,
  /** Imports of one backend at a time: each has a store open. */
  openImports: 16,
  /** Commands of one sandbox that run in its copy on a host, or wait for that. */
  hostRuns: 64,
  /** Snapshots that a receiver may name as those it has already. */
  exportHave: 64,
  /** Snapshots that led to the one at which a recording is continued, and that come along as its history. */
  continuedAncestors: 64,
  /** Largest upload in one call. */
  uploadBytes: 268_435_456,
  /** Of an image: its manifest, one asset (compressed or not), assets in one list of the manifest. */
  imageManifestBytes: 1_048_576,
  imageAssetBytes: 536_870_912,
  imageAssets: 16_384,
  /** Images in a host's list. */
  hostImages: 64,
  /** Unpacked image packs kept in memory for reading. */
  imagePackCacheBytes: 16_777_216,
  /** The same on a host: the largest usual files are read twice for an archive, and unpacked once. */
  hostImagePackCacheBytes: 67_108_864,
  /** What is fetched ahead of one who reads all of an image: more than it takes at once, and little beside what is kept. */
  imageReadAheadBytes: 4_194_304,
  imageReadAheadPacks: 8,
  /** Time for the probe of a browser's storage. */
  storeProbeTimeoutMs: 5_000,
  /** Time from SIGHUP to SIGKILL for a terminal's programs. */
  hangupGraceMs: 2_000,
  /**
   * Attempts to set a guest's clock when the host is too busy to do it in time; how often the clock is compared, and the
   * difference at which it is set again.
   */
  clockAttempts: 5,
  clockLookMs: 5_000,
  clockStepMs: 50,
  /** Time for a process with `clearsAway` to delete its files when its connection ends. */
  clearAwayMs: 10_000,
  /** Interval at which it gets SIGTERM again until it has ended. */
  tellToEndAgainMs: 500,
  /** Longest time that captures wait for such a process; other changes have to be captured too. */
  clearedAwayPauseMs: 60_000,
  /** Time for a worker to clean up after an aborted start, and to close a sandbox, which includes a capture. */
  abortTimeoutMs: 20_000,
  closeTimeoutMs: 60_000,
  /** Until the lock of a sandbox is free whose worker was ended: Chromium gives one that is in the midst of JavaScript 2 s. */
  lockReleaseMs: 4_000,
  /** Boot, restore and checkout deadlines. */
  bootTimeoutMs: 120_000,
  requestTimeoutMs: 30_000,
  /** If the processes do not end in this time, a checkout restarts the machine. */
  remountTimeoutMs: 10_000,
  /** Forks not opened yet whose trees are kept in memory, where they share nodes with their parents. */
  unopenedTrees: 8,
  /** Trees of snapshots kept in memory, so that a checkout of them copies a pointer. */
  loadedTrees: 16,
  /** File content kept in memory that could be read again. */
  contentCacheBytes: 67_108_864,
  /** Least snapshots between two rounds of retention. In a long history it is the history's length divided by this. */
  retentionEvery: 32,
  /** The largest number in a policy of what is kept (`KeepPolicy`). */
  keepPolicy: 100_000,
  /** Snapshots of another sandbox that a merge brings in, to find what the two have in common. */
  mergeAncestors: 1_024,
  /** Differences that `applyChanges` makes at once: steps that one undo takes back. */
  appliedChanges: 1_024,
  /** How often it begins again where files change meanwhile. */
  applyTries: 3,
  /** Snapshots that retention must have forgotten before garbage is collected, which copies all live objects, if that is due. */
  collectAfterForgotten: 8,
  /**
   * Sandboxes that a bridge has open at once; those that one account has open read-only; idle time after which one is
   * closed.
   */
  openSandboxes: 128,
  readOnlySandboxesOfAccount: 16,
  idleSandboxMs: 600_000,
  /**
   * Of a bridge's HTTP server: connections with a valid token, and those of one account; connections without one, and
   * those of one address (a browser opens six to a site; a whole network may share one address).
   */
  httpConnections: 2_048,
  httpConnectionsOfAccount: 1_024,
  httpUnauthenticatedConnections: 1_024,
  httpUnauthenticatedOfAddress: { min: 8, usual: 256, max: 1_024 },
  /** Bytes of all headers of a request, and of a JSON body. */
  httpHeaderBytes: 16_384,
  httpBodyBytes: 1_048_576,
  /** Time for the headers of a request to arrive, and for all of it, which may be the largest upload on a slow line. */
  httpHeadersTimeoutMs: 10_000,
  httpRequestTimeoutMs: 600_000,
  /** Memory for uploads: of all requests, and of one account, which is enough for one upload of the largest size. */
  httpUploadsBytes: 536_870_912,
  httpUploadsOfAccountBytes: 268_435_456,
  /** Requests of MCP under way, until their answers have been read: of all clients, and of one account. */
  mcpRequests: 512,
  mcpRequestsOfAccount: 64,
  /**
   * Memory for their answers, as long as those have not been read: of all clients, and of one account, which is enough for two
   * of the largest (a file of control characters, as JSON); what each answer counts at least; what the client has to read of
   * one within `httpStalledReaderMs`.
   */
  mcpAnswersBytes: 268_435_456,
  mcpAnswersOfAccountBytes: 67_108_864,
  mcpAnswerLeastBytes: 65_536,
  mcpAnswerPieceBytes: 65_536,
  /** Time that the reader of a download or a stream may pause. */
  httpStalledReaderMs: 60_000,
  /** Interval of heartbeats on an event stream or a WebSocket. */
  heartbeatMs: 15_000,
  /** Run time of a command started over HTTP, unless the request says otherwise. */
  commandTimeoutMs: { usual: 60_000, max: 3_600_000 },
  /** Commands that go on without their request: all, those of an account, how long a result is kept, bytes of all results, and how long one request waits for one. */
  commandOperations: 64,
  commandOperationsOfAccount: 16,
  commandResultMs: 600_000,
  commandResultsBytes: 134_217_728,
  commandWaitMs: 60_000,
  /** Characters of the name of the limit that ended a command. */
  limitNameLength: 64,
  /** Entries of one page of a list, and copies that one fork makes. */
  pageItems: { usual: 100, max: 1_000 },
  forks: 16,
  /** WebSockets of a bridge, those of one token, the largest message and its most fragments, pings in a heartbeat. */
  sockets: 512,
  socketsOfToken: 256,
  socketMessageBytes: 2_097_152,
  socketFragments: 1_024,
  socketPings: 64,
  /** Of the git proxy: requests under way, those of one account, and bytes of a request and of its answer. */
  gitRequests: 32,
  gitRequestsOfAccount: 8,
  gitRequestBytes: { fetch: 4_194_304, push: 268_435_456 },
  gitAnswerBytes: 2_147_483_648,
  /** Bytes passed on of an error's body; addresses of one server that are tried. */
  gitErrorBytes: 65_536,
  gitAddresses: 16,
  /** Time to connect to a git server, time without a byte from it, and time for a whole request. */
  gitConnectTimeoutMs: 10_000,
  gitIdleTimeoutMs: 60_000,
  gitTimeoutMs: 600_000,
  /** Of git's answers: changed files and branches in a list, commits of a log, bytes of a patch. */
  gitStatusFiles: 10_000,
  gitBranches: 10_000,
  gitLogCommits: 1_000,
  gitLogUsual: 100,
  gitDiffBytes: 2_097_152,
  /** Commits that git of a shell reads to count or to list them, or to tell which of them another one has. */
  gitWalkedCommits: 100_000,
  /** Commits that are looked at to tell how far a branch is from another one; paths that a conflict names. */
  gitComparedCommits: 2_000,
  gitConflictPaths: 100,
  /** Of git in the page: bytes of a file that it reads or writes whole, such as a pack, and of a server's answer. */
  gitFileBytes: 268_435_456,
  gitFetchedBytes: 268_435_456,
  /** Packs of which it is remembered that no object in them is too long. */
  gitCheckedPacks: 32,
  /** How often a git server may lead a question on within itself. */
  gitRedirects: 5,
  /** Of a history that is exported to git: entries of one snapshot, objects of all, and bytes of a file, which is held whole. */
  gitExportEntries: 500_000,
  gitExportObjects: 2_000_000,
  gitExportFileBytes: 67_108_864,
  /** Of a `.gitmodules` in which an import looks for submodules. */
  gitModulesBytes: 65_536,
  /** Output that is read of a git that runs in the sandbox; time for it to answer a question, and to die once it is killed. */
  gitOutputBytes: 16_777_216,
  gitStepTimeoutMs: 120_000,
  gitKillTimeoutMs: 10_000,
  /** Of a workspace: characters of its URL and its branch or tag; bytes of its directory's name, to which staging adds 15. */
  gitUrlCharacters: 1_024,
  gitRefCharacters: 255,
  /** Of a name such as `main~2^{tree}` at a prompt; tags of tags that are followed; and of the log of a ref. */
  gitRevisionCharacters: 4_096,
  gitTagDepth: 16,
  gitReflogCharacters: 262_144,
  /** Of a `.gitignore`; and files on each side among which git looks for renames by content. */
  gitIgnoreBytes: 1_048_576,
  gitRenamePairs: 1_000,
  /** How deep merges of common commits nest that have several common commits themselves. */
  gitMergeDepth: 8,
  gitMergedBases: 64,
  /** Of a file of settings; of one commit's parents; of one tree's files, and of their paths; of the files whose likeness is held at a time. */
  gitSettingsBytes: 4_194_304,
  gitCommitParents: 1_000,
  gitTreeFiles: 500_000,
  gitPathBytes: 4_096,
  gitRenameBytes: 67_108_864,
  /** Objects that go from one repository of a sandbox to another at a time. */
  gitCopiedObjects: 500_000,
  workspaceNameBytes: 240,
  /** Characters kept of git's last output, and of one line; time for one run of git, and for the steps before and after it. */
  gitSaidCharacters: 4_000,
  gitLineCharacters: 200,
  gitCloneTimeoutMs: 1_800_000,
  workspaceStepTimeoutMs: 120_000,
  /** Requests per second, and in one burst: of one address, of one token, and with an invalid token. */
  requestRates: {
    address: { perSecond: 200, burst: 800 },
    token: { perSecond: 200, burst: 800 },
    refused: { perSecond: 1, burst: 30 },
  },
  /** Addresses and tokens whose rates are tracked. */
  rateKeys: 8_192,
  /** Largest token that a client may present. */
  tokenBytes: 512,
  /** Time for requests under way to end when a bridge stops. */
  stopTimeoutMs: 10_000,
  /**
   * Of traces: spans in the queue, past which new ones are dropped; spans of one export; the delay before an export;
   * time for an export, and for the last one when a bridge stops.
   */
  tracesQueuedSpans: 2_048,
  tracesBatchSpans: 512,
  tracesDelayMs: 5_000,
  tracesExportTimeoutMs: 30_000,
  tracesFlushTimeoutMs: 3_000,
  /** Of the wire protocol: one message with its header, and all unfinished bodies together. SPEC.md says why of each. */
  wireMessageBytes: 262_144,
  wireBodyBytes: 272_629_760,
  /** The JSON of one request. */
  wireRequestJsonBytes: 1_048_576,
  /** Of one wire session: calls under way, calls that wait for one of those to end, handles and streams. */
  wireRequests: 1_024,
  wireWaitingCalls: 65_536,
  wireHandles: 1_024,
  /** First credit of a wire stream, and messages that wait for more. */
  wireWindowBytes: 1_048_576,
  wireStreamQueue: 1_024,
  /** Sent bytes that are kept until the peer acknowledges them; received bytes after which this side acknowledges. */
  wireUnacknowledgedBytes: 4_194_304,
  wireAcknowledgeBytes: 1_048_576,
  /** Size of the buffers that a session reuses, each for a chunk of output with its header; how many are kept free. */
  wirePooledFrameBytes: 32_768,
  wirePooledFrames: 64,
  /** Unsent bytes in a transport at which it asks its user to wait. */
  transportBufferBytes: 1_048_576,
  /** Time for the peer of a stream that is closed to read what was written to it. */
  streamCloseMs: 2_000,
  /**
   * Time for the handshake; time that a session outlives its transport; silence after which a PING is sent, and after
   * which the transport is closed.
   */
  wireHandshakeTimeoutMs: 10_000,
  wireGraceMs: 60_000,
  wirePingMs: 15_000,
  wireSilenceMs: 45_000,
  /** A client renews its access when a fifth of its time is left, or this much if that is less; and the least time between two attempts. */
  accessLeadMs: 60_000,
  accessRetryMs: 1_000,
  /** Time for a `TokenSupplier` to return a token. */
  tokenSupplyTimeoutMs: 20_000,
  /** Wire sessions of one server, and of one account, including those that wait for their client to come back. */
  wireSessions: 1_024,
  wireSessionsOfAccount: 256,
  /** Longest path that a Linux host opens (PATH_MAX without its NUL). */
  nativePathBytes: 4_095,
  /** Unused layers kept for later roots; layers of one root; earlier trees whose layers a new root may build on. */
  idleLayers: 32,
  rootLayers: 8,
  nearTrees: 64,
  /** Trees of forks that wait for their layers to be made ahead; which part of the disk stays free of those. */
  layersAhead: 16,
  layersAheadFreeShare: 0.2,
  /** The least time between two times that clients are told how many files of a root are unpacked. */
  unpackToldEveryMs: 500,
  /** Cached upper directories on btrfs that no root uses. */
  keptUppers: 64,
  /** Time to make, snapshot or delete a subvolume; btrfs frees the space of a deleted one later. */
  subvolumeTimeoutMs: 15_000,
  /** A snapshot that took longer waited for the disk. */
  subvolumeSlowMs: 10,
  /**
   * What a scanner reads into memory while a jail stands still, if it takes no longer than this. The rest is read while it
   * runs, and checked.
   */
  scanAheadFiles: 4_096,
  scanAheadMs: 20,
  scanAheadBytes: 33_554_432,
  /** A file that has more is large: the end of a command does not wait for it while another process writes it. */
  scanSmallBytes: 1_048_576,
  /** Small files that are asked for together. */
  scanGroupFiles: 64,
  /** Of a host's registry: sandboxes, API tokens, a token's name, and the least time between two updates of a token's last use. */
  registrySandboxes: 65_536,
  registryTokens: 4_096,
  tokenNameBytes: 128,
  tokenUsedEveryMs: 60_000,
  /** Sandboxes in one token's scope; tokens of one account, which is such a token and all that were made with it. */
  tokenSandboxes: 64,
  tokensOfAccount: 256,
  /** Lifetime of a token that was made with another; the usual one suits a page. */
  tokenTtlMs: { min: 1_000, usual: 900_000, max: 2_592_000_000 },
  /** How often the tokens of open connections are checked again: they may have been revoked by another process. */
  tokenRecheckMs: 5_000,
  /** Time that the registry waits for another process's write; this process is blocked meanwhile. */
  registryBusyTimeoutMs: 2_000,
  /** Time for the spawner to report that it has started, which takes a few milliseconds. */
  spawnerStartTimeoutMs: 10_000,
  /** Time for a jail to pass its self-test, to freeze, and to end. */
  jailStartTimeoutMs: 15_000,
  jailFreezeTimeoutMs: 5_000,
  jailEndTimeoutMs: 10_000,
  /** Time that a jail waits for a new bridge after its own has died, and time for its sockets to accept one. */
  jailReattachMs: { usual: 60_000, max: 86_400_000 },
  jailMeetTimeoutMs: 5_000,
  /** Size of the note that describes a jail to the next bridge; orphaned jails that one start examines. */
  jailRecordBytes: 65_536,
  leftJails: 1_024,
  /** Time for the probe of newuidmap. */
  idRangeTimeoutMs: 5_000,
  /** Time for the probe of a speed limit, which writes a little. */
  limitProbeTimeoutMs: 5_000,
  /** Connections of one jail to the network, past which further ones wait; connections of all jails, past which they are refused. */
  networkFlows: 256,
  networkFlowsOfHost: 4_096,
  /** Connections and DNS queries that one jail may start in a second, after a first burst of `networkFlows`. */
  networkBeginsPerSecond: 200,
  /** Of such a connection: time to send its header, time to connect, idle time, and idle time once one side has closed. */
  networkHeaderTimeoutMs: 5_000,
  networkConnectTimeoutMs: 15_000,
  networkIdleMs: 3_600_000,
  networkHalfOpenIdleMs: 300_000,
  /** DNS queries of one jail; bytes of a query and of an answer (RFC 1035, without EDNS); time to resolve a name. */
  networkQuestions: { perSecond: 50, burst: 200 },
  networkQuestionBytes: 512,
  networkAnswerBytes: 512,
  networkResolveTimeoutMs: 5_000,
  /** Per sandbox: cached DNS names, and entries of the network log. Last: how many sandboxes have a log. */
  networkNames: 1_024,
  networkLogEntries: 512,
  networkLogs: 256,
  /** Address ranges that an operator may allow. */
  networkRanges: 256,
  /**
   * Of the list of what a sandbox reaches: entries, and characters of one; addresses of its names that are remembered for
   * one jail, and for how long at least.
   */
  allowedHosts: 64,
  allowedHostCharacters: 255,
  allowedAddresses: 1_024,
  allowedAddressMs: 600_000,
  /** Characters kept of a failed launcher's messages. */
  jailDiagnosticCharacters: 4_000,
  /**
   * Of the socket of a folder that is served: clients at a time; bytes of one line of theirs, and time for it to end; requests of
   * one client under way; time for a client to say something at first, and later while it waits for nothing.
   */
  controlClients: 64,
  controlLineBytes: 1_048_576,
  controlLineMs: 10_000,
  controlRequests: 16,
  controlFirstLineMs: 10_000,
  controlIdleMs: 600_000,
  /** How often a client that has closed its side and waits for an answer is looked after: what it began ends where it is gone. */
  controlProbeMs: 1_000,
  /** Bytes for one client that it has not read, past which it is disconnected; bytes of one line that a client reads. */
  controlUnreadBytes: 67_108_864,
  controlAnswerBytes: 67_108_864,
  /** Time for whoever serves a folder to answer the first line. */
  controlGreetingMs: 10_000,
  /** Time for a command to get a folder that another command holds, after which it says so, and the pause between two attempts. */
  folderWaitMs: 60_000,
  folderWaitNoteMs: 3_000,
  folderRetryMs: 100,
  /** Snapshots in one answer of `log`. */
  controlLogSnapshots: { usual: 1_000, max: 100_000 },
  /**
   * Of a program under supervision: time from its start within which an end counts as at once; how often in a row it is started
   * again after that; the pause before, which doubles from the first to the longest; time to end after SIGTERM or SIGHUP; starts
   * that `status` tells.
   */
  superviseAtOnceMs: 1_000,
  superviseRestarts: 5,
  superviseRestartMs: { first: 250, max: 10_000 },
  superviseGraceMs: 10_000,
  supervisedStarts: 50,
  /** How long the host keeps the sandbox of a `coppice run` that was killed; how often one that goes on says so. */
  runOrphanMs: 86_400_000,
  runRenewMs: 3_600_000,
  /**
   * Of a tournament: candidates, and how many of them run at a time; bytes of a command, and of a list on standard input; time for one candidate's command and its
   * test; how much longer its host keeps the sandbox of one whose client has died.
   */
  tournamentCandidates: 256,
  tournamentJobs: 64,
  tournamentCommandBytes: 65_536,
  tournamentListBytes: 16_777_216,
  tournamentCandidateMs: { usual: 600_000, max: 86_400_000 },
  tournamentOrphanMs: 600_000,
  /** Of its report: characters kept of each output, half from either end; changes listed for a candidate. */
  tournamentOutputCharacters: 20_000,
  tournamentChanges: 200,
  /**
   * Of a judge that reads a test's output: characters of its pattern, repetitions without an end in it, characters of one line that
   * it reads (three repetitions that match nothing take half a second there, and the fourth power of its length), time after which no
   * further line is read, and characters of an output that is read as JSON.
   */
  judgePatternCharacters: 1_000,
  judgeRepetitions: 3,
  judgeLineCharacters: 200,
  judgeMs: 2_000,
  judgeJsonCharacters: 1_048_576,
  /**
   * Of a model's work in a sandbox: characters of one text that it is told; paths and directory entries in an answer; the
   * size of a file that it reads or edits as text, and of an image that it looks at; time for one command; calls that
   * wait for those before them; steps that can be undone.
   */
  modelOutputCharacters: 30_000,
  modelPaths: 20,
  modelEntries: 500,
  modelFileBytes: 4_194_304,
  modelImageBytes: 10_485_760,
  modelCommandMs: 120_000,
  modelCalls: 1_024,
  modelSteps: 100,
  /** Of an agent's session: commands that run beside each other, output of each that no call has taken, its workspace in memory. */
  agentProcesses: 16,
  agentOutputCharacters: 1_048_576,
  agentWorkspaceBytes: 268_435_456,
  /** Of a harness: time for one command of a session; for its set-up, which is abandoned and deleted past it. */
  harnessCommandMs: 1_800_000,
  harnessSetUpMs: 3_600_000,
} as const;
