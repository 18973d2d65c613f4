import type { HostBackend } from '../../bridge-server/host-backend.ts';
import type { FolderHistory } from '../../bridge-server/main/open-folder-history.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';

/** How a command is told where sandboxes are. */
export interface PlaceOptions {
  readonly root?: string;
  readonly bridge?: string;
  readonly tokenFile?: string;
  /** A folder of this host whose own history is meant, instead of a sandbox. */
  readonly inPlace?: string;
  /** Of a command that ends what was interrupted while it wrote to that folder; others are refused until then. */
  readonly endsInterrupted?: boolean;
  /** Of a command that notes what an agent has done in that folder. */
  readonly isAgents?: boolean;
  readonly quiet?: boolean;
  /** How roots are made on this host, and what jails are made of: names as `--backend` and `--isolation` take them. */
  readonly backend?: string;
  readonly isolation?: string;
  /** Ranges of addresses that its sandboxes with a network may reach beside public ones. */
  readonly networkAllow?: readonly string[];
  /** Of a command that makes a sandbox: the image of it, which is made before the folder is held where it is not there. */
  readonly imageAhead?: string;
}

/** Where sandboxes are. Disposing of it lets go of the folder, or of the connection. */
export interface Place extends AsyncDisposable {
  readonly type: 'folder' | 'served' | 'bridge' | 'history';
  readonly backend: SandboxBackend;
  /** For people: `/root/.local/share/coppice`, or `https://…`. */
  readonly name: string;
  /** The id of the one sandbox that it has, where it has one by nature. */
  readonly only?: string;
  /** What was interrupted while it wrote to a folder with a history. */
  readonly interrupted?: FolderHistory['interrupted'];
  /** Who holds the folder, where this process does not, in a few words. */
  heldBy?(): string | undefined;
  /** The folder on a disk of this host that the files of its sandboxes are in; none where they are shells. */
  readonly disk?: string;
  /** Why its new sandboxes are shells, on a host without jails. */
  readonly fellBack?: string;
  /** What its sandboxes lack on this host, and how to have it: for a person who makes one. */
  readonly remark?: string;
}

/** The sandboxes of a folder of this host, which this process holds. */
export interface FolderPlace extends Place {
  readonly backend: HostBackend;
  /** Which addresses its sandboxes with a network may reach: a `networkText`. */
  readonly network?: string;
  /** Tells others that are refused the folder by which socket they reach them. */
  answersAt(socket: string): void;
}
