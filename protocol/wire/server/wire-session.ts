import type { SandboxError } from '../../errors.ts';

/** A client's session, which may go on over other transports than it began with. */
export interface WireSession {
  /** Resolves when it has let go of everything, with what ended it; nothing when the client said goodbye. */
  readonly ended: Promise<SandboxError | undefined>;
  /** Ends the session and lets go of everything; the client is told why. */
  close(why?: SandboxError): Promise<void>;
  /** The right of the client has run out: lets nothing through until it has come with another, or ends the session. */
  suspend(why: SandboxError): Promise<void>;
}
