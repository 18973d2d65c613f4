/** The image that a machine worker will need: by its name, or as that of a stored sandbox. */
export type NeededImage = { readonly name: string } | { readonly sandbox: string };

/** The first message to a machine worker. */
export interface WorkerStart {
  /** Where the backend is served. A port keeps what is sent until the worker's script has loaded. */
  readonly port: MessagePort;
  /** Fetched meanwhile, when it is known that one will be needed. */
  readonly image: NeededImage | undefined;
  /** The name of a lock that it holds as long as it lives: a worker that ends by itself says nothing. */
  readonly lock: string;
}

/** Told to a worker that serves no sandbox yet: it makes a machine for one that begins like this one, such as its fork. */
export interface WarmUp {
  readonly warmUpFor: string;
}

/** What a machine worker answers to its first message, at once. */
export const workerRuns = 'running';

/** What it answers once it holds its lock. */
export const workerHolds = 'holds';

/** What it answers once that machine stands ready. */
export const machineReady = 'ready';
