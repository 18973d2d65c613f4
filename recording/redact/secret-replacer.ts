import { sha256 } from '@noble/hashes/sha2.js';
import type { RecordingEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';
import { heldFrom, isLikelySecret } from './held-output.ts';
import { KnownSecrets } from './known-secrets.ts';
import { isSecretName, secretPatterns } from './secret-patterns.ts';

export interface SecretReplacerOptions {
  /** Values that are replaced wherever they are. */
  readonly secrets?: readonly string[] | undefined;
  /** Environments whose values are replaced where their names look like those of secrets. */
  readonly environments?: readonly Readonly<Record<string, string>>[] | undefined;
  /** Makes the hashes of one recording unlike those of another, so that none can be looked up; by default random. */
  readonly salt?: string | undefined;
}

type StreamEvent = Extract<RecordingEvent, { readonly type: 'output' | 'input' }>;

/**
 * Replaces secrets by `<secret:KIND:HASH8>`: values that are known, and what has the shape of one. A value that comes in two
 * pieces of a terminal's output is found too: what may be the beginning of one is held until the next piece. Names of files are
 * replaced where they are told; files of snapshots are as they are.
 */
export class SecretReplacer {
  readonly #known = new KnownSecrets();
  readonly #salt: string;
  readonly #counts = new Map<string, number>();
  readonly #held = new Map<string, StreamEvent>();

  constructor({ secrets = [], environments = [], salt = crypto.randomUUID() }: SecretReplacerOptions = {}) {
    this.#salt = salt;
    for (const secret of secrets) this.addSecret(secret);
    for (const env of environments) this.addEnvironment(env);
  }

  /** How many were replaced so far, by kind. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** From now on, a value is replaced wherever it is. Answers false for one that is too short or too long for that. */
  addSecret(value: string): boolean {
    return this.#known.add(value);
  }

  addEnvironment(env: Readonly<Record<string, string>>): void {
    this.#known.addEnvironment(env);
  }

  /** A text without secrets. */
  replace(text: string): string {
    let replaced = this.#known.replace(text, (value) => this.#placeholder('value', value));
    for (const { kind, mayHave, pattern, isSecret } of secretPatterns) {
      if (!mayHave(replaced)) continue;
      replaced = replaced.replaceAll(pattern, (...match) => {
        const [whole] = match;
        const groups = match.at(-1) as Readonly<Record<string, string>> | string;
        const secret = typeof groups === 'object' ? (groups.secret ?? whole) : whole;
        const at = whole.lastIndexOf(secret);
        const before = match.findIndex((each) => typeof each === 'number');
        if (isSecret?.(secret, match[before + 1], match[before] + at) === false) return whole;
        return whole.slice(0, at) + this.#placeholder(kind, secret) + whole.slice(at + secret.length);
      });
    }
    return replaced;
  }

  /**
   * What an event becomes, after what was held that has to come before it. Output may be held, and then is part of a later answer;
   * what names something by an id, and objects, pass as they are.
   */
  event(event: RecordingEvent): readonly RecordingEvent[] {
    switch (event.type) {
      case 'output':
      case 'input':
        return this.#stream(event);
      case 'objects':
      case 'head':
        return [event];
      case 'resize':
      case 'terminal-end':
      case 'keyframe':
      case 'command':
        return [...this.release(event.terminal), this.#texts(event)];
      case 'source':
      case 'command-end':
      case 'end':
        return [...this.release(), this.#texts(event)];
      default:
        return [this.#texts(event)];
    }
  }

  /**
   * Output that has been held for long enough: all but what is most likely a part of a secret. A recorder calls it when nothing has
   * come for a moment, so that a prompt is not seen to come late.
   */
  settle(): readonly RecordingEvent[] {
    const released: RecordingEvent[] = [];
    for (const [stream, event] of this.#held) {
      if (isLikelySecret(event.data) || this.#known.hasBegun(event.data)) continue;
      this.#held.delete(stream);
      released.push({ ...event, data: this.replace(event.data) });
    }
    return released;
  }

  /** All output that is held, of one terminal or of all: nothing comes after it that belongs to it. */
  release(terminal?: number): readonly RecordingEvent[] {
    const released: RecordingEvent[] = [];
    for (const [stream, event] of this.#held) {
      if (terminal !== undefined && event.terminal !== terminal) continue;
      this.#held.delete(stream);
      released.push({ ...event, data: this.replace(event.data) });
    }
    return released;
  }

  #stream(event: StreamEvent): readonly RecordingEvent[] {
    const stream = `${event.type} ${event.terminal}`;
    const data = (this.#held.get(stream)?.data ?? '') + event.data;
    this.#held.delete(stream);
    const begin = Math.min(heldFrom(data, event.data.length), this.#known.heldFrom(data));
    const from = data.length - begin > recordingLimits.heldOutputCharacters ? data.length : begin;
    if (from < data.length) this.#held.set(stream, { ...event, data: data.slice(from) });
    return from === 0 ? [] : [{ ...event, data: this.replace(data.slice(0, from)) }];
  }

  #texts<Event extends RecordingEvent>(event: Event): Event {
    const entries = Object.entries(event).map(([key, value]): [string, unknown] =>
      asTheyAre.has(key) ? [key, value] : [key, this.replaceAll(value, key)],
    );
    return Object.fromEntries(entries) as Event;
  }

  /** All texts in a value of JSON; one under a name of a secret is one. `name`: of the field that it is in. */
  replaceAll(value: unknown, name = ''): unknown {
    if (typeof value === 'string') {
      if (
        isSecretName(name) &&
        value.length >= recordingLimits.leastSecretCharacters &&
        !value.startsWith('<secret:')
      )
        return this.#placeholder('value', value);
      return this.replace(value);
    }
    if (Array.isArray(value)) return value.map((each) => this.replaceAll(each, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [this.replace(key), this.replaceAll(each, key)]),
    );
  }

  #placeholder(kind: string, secret: string): string {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    const hash = sha256(new TextEncoder().encode(`${this.#salt}\n${secret}`));
    const hex = Array.from(hash.subarray(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join('');
    return `<secret:${kind}:${hex}>`;
  }
}

/** Fields that name something, of which no part is said by a program or a person. */
const asTheyAre: ReadonlySet<string> = new Set([
  'type',
  'id',
  'snapshot',
  'parent',
  'parents',
  'code',
  'output',
  'role',
]);
