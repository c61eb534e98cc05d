import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { AppendRequest } from '../../../core/ports/log.ts';
import { expiry, RETENTION_SECONDS } from '../retention.ts';
import { N, S } from './items.ts';
import type { TableContext } from './table.ts';

/** An item has at most 400 kB. Payloads compress to a tenth, so most have one part. */
const PART_BYTES = 350_000;

const packed = promisify(gzip);

/**
 * Stores the payload of a new entry under the uuid of its request. Not in the transaction of the entry, where it would
 * cost twice as much, and again at each attempt: a payload whose entry is not written expires.
 */
export async function storePayload(
  { client, payloads, clock }: TableContext,
  { draft: { user, uuid }, payload }: AppendRequest,
): Promise<void> {
  if (payloads === undefined) throw new Error('Only functions that know the table of payloads may append entries.');
  const bytes = await packed(payload);
  const expires = N(expiry(clock.now(), RETENTION_SECONDS.payload));
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  const put = (part: number) => {
    const gzip = { B: bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES) };
    return client.send(
      new PutItemCommand({ TableName: payloads, Item: { pk: S(user), sk: S(`${uuid}#${part}`), gzip, expires } }),
    );
  };
  await Promise.all(Array.from({ length: parts }, (_, part) => put(part)));
}
