import { hash } from 'node:crypto';
import { hashWith } from '../tree/objects/hash-object.ts';
import type { ObjectId } from '../tree/objects/object-id.ts';

/** Has this process make ids with Node's SHA-256, five to nine times as quick as the portable one. */
export function hashNatively(): void {
  hashWith((bytes) => hash('sha256', bytes, 'hex') as ObjectId);
}
