import { isatty } from 'node:tty';
import type { Bridge } from '../../bridge-server/http/bridge.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { TlsFiles } from './bridge-command.ts';
import { readTls } from './read-tls.ts';

export interface TlsRenewal {
  /** Absent where the bridge speaks plain HTTP: then there is nothing to renew. */
  readonly files: TlsFiles | undefined;
  /** Resolves when it listens. */
  readonly bridge: Promise<Pick<Bridge, 'renewTls'>>;
  /** Told what has become of each renewal, in words. */
  readonly tell: (text: string) => void;
}

/**
 * Returns what reads the files of a bridge's certificate anew and has those who connect from then on get
 * it: one renewal after the other, and never rejecting. A pair that is not one is told, and the old one stays.
 */
export function tlsRenewal({ files, bridge, tell }: TlsRenewal): () => Promise<void> {
  let last = Promise.resolve();
  const renew = async () => {
    if (files === undefined) return;
    try {
      const { cert, key, certificate } = await readTls(files);
      (await bridge).renewTls({ cert, key });
      tell(`The certificate was read anew. It is valid until ${certificate.validTo}`);
    } catch (error) {
      tell(`The certificate stays the old one: ${SandboxError.from(error).message}`);
    }
  };
  return () => {
    last = last.then(renew);
    return last;
  };
}

/**
 * Calls `onReload` at each SIGHUP, as service managers send it, but `onHangUp` where it comes because the
 * terminal that we were started in is gone.
 */
export function listenHangUp(on: { readonly onReload: () => void; readonly onHangUp: () => void }): void {
  const hadTerminal = isatty(0);
  process.on('SIGHUP', () => (hadTerminal && !isatty(0) ? on.onHangUp() : on.onReload()));
}
