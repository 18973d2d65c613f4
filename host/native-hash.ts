import { hash } from 'node:crypto';
import type { ObjectId } from '../tree/content/object-id.ts';
import { hashWith } from '../tree/objects/hash-object.ts';

/** Has this process make ids with Node's SHA-256, five to nine times as quick as the portable one. */
export function hashNatively(): void {
  hashWith((bytes) => hash('sha256', bytes, 'hex') as ObjectId);
}
