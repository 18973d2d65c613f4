import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { SandboxError } from '../../protocol/errors.ts';
import type { TokenOwner, TokenRecords } from '../token-contract.ts';
import type { RequestRates } from './bridge-options.ts';
import { presentedToken } from './presented-token.ts';
import { RequestRate, rateKey } from './request-rate.ts';

export interface AdmissionOptions {
  readonly rates: RequestRates;
  /** Told of each connection that shows a valid token; what it throws refuses the request. */
  readonly onAuthenticated?: (socket: Socket, account: string) => void;
}

/** Where in a request its token is. */
export type TokenReader = (headers: IncomingHttpHeaders) => string | undefined;

/** Who may ask, and how often; the same for requests and for WebSockets. */
export class Admission {
  readonly #tokens: Pick<TokenRecords, 'check'>;
  readonly #addresses: RequestRate;
  readonly #owners: RequestRate;
  readonly #refused: RequestRate;
  readonly #onAuthenticated: NonNullable<AdmissionOptions['onAuthenticated']>;

  constructor(tokens: Pick<TokenRecords, 'check'>, options: AdmissionOptions) {
    const { rates, onAuthenticated = () => {} } = options;
    this.#tokens = tokens;
    this.#onAuthenticated = onAuthenticated;
    this.#addresses = new RequestRate(rates.address);
    this.#owners = new RequestRate(rates.token);
    this.#refused = new RequestRate(rates.refused);
  }

  /** @throws rate-limited */
  countAddress({ socket }: IncomingMessage): void {
    assertTaken(this.#addresses.take(rateKey(socket.remoteAddress)));
  }

  /**
   * Who the token belongs to. Wrong ones of an address are counted, but never shut out a right one:
   * behind a proxy everybody has the same address. @throws unauthenticated, rate-limited, busy
   */
  findOwner({ headers, socket }: IncomingMessage, tokenIn: TokenReader = presentedToken): TokenOwner {
    const token = tokenIn(headers);
    const owner = token === undefined ? undefined : this.#tokens.check(token);
    if (!owner) {
      assertTaken(this.#refused.take(rateKey(socket.remoteAddress)));
      const why = token === undefined ? 'there is no token' : 'the token is not valid';
      throw new SandboxError('unauthenticated', `Cannot answer this request: ${why}`);
    }
    assertTaken(this.#owners.take(owner.account));
    this.#onAuthenticated(socket, owner.account);
    return owner;
  }
}

function assertTaken(waitSeconds: number): void {
  if (waitSeconds === 0) return;
  const message = `Too many requests: wait ${waitSeconds} s`;
  throw new SandboxError('rate-limited', message, { details: { retryAfterSeconds: waitSeconds } });
}
