import type { NormalizedSchema } from '@smithy/core/schema';
import { isRecord } from '../template/intrinsics.ts';

/** A value that the model of the service does not allow; the message names the place. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

/** `decode` reads JSON of the wire into the SDK's values (bytes, dates); `encode` is the reverse. Both check. */
export type Direction = 'decode' | 'encode';

/**
 * Returns a value converted by its schema. An unknown member, a missing one and a value of another type are errors, in
 * requests and in the emulator's own answers, so that neither differs from the service unnoticed.
 *
 * @param at the place, for the message
 * @throws ShapeError
 */
export function convert(schema: NormalizedSchema, value: unknown, direction: Direction, at: string): unknown {
  if (schema.isDocumentSchema()) return value;
  if (schema.isStructSchema()) return structure(schema, value, direction, at);
  if (schema.isListSchema()) {
    if (!Array.isArray(value)) throw wrong(at, 'a list', value);
    return value.map((item, index) => convert(schema.getValueSchema(), item, direction, `${at}[${index}]`));
  }
  if (schema.isMapSchema()) {
    const entries = Object.entries(recordAt(value, at));
    return Object.fromEntries(
      entries.map(([key, item]) => [key, convert(schema.getValueSchema(), item, direction, `${at}.${key}`)]),
    );
  }
  return leaf(schema, value, direction, at);
}

function structure(schema: NormalizedSchema, value: unknown, direction: Direction, at: string) {
  const members = new Map(schema.structIterator());
  const given = Object.entries(recordAt(value, at)).filter(([, item]) => item !== undefined && item !== null);
  for (const name of requiredMembers(schema)) {
    if (!given.some(([key]) => key === name)) throw new ShapeError(`${at}.${name} is missing`);
  }
  return Object.fromEntries(
    given.map(([name, item]) => {
      const member = members.get(name);
      if (!member) throw new ShapeError(`${at}.${name} is not in the model of the service`);
      return [name, convert(member, item, direction, `${at}.${name}`)];
    }),
  );
}

/** The required members come first, and their number last: `[3, namespace, name, traits, names, types, 2]`. */
function requiredMembers(schema: NormalizedSchema): readonly string[] {
  const parts: readonly unknown[] = Object.values(schema.getSchema());
  const [names, , count] = parts.slice(4);
  return Array.isArray(names) && typeof count === 'number' ? names.slice(0, count).map(String) : [];
}

function leaf(schema: NormalizedSchema, value: unknown, direction: Direction, at: string): unknown {
  if (schema.isBlobSchema()) return blob(value, direction, at);
  if (schema.isTimestampSchema()) return timestamp(value, direction, at);
  const [kind, is] = schema.isBooleanSchema()
    ? (['a boolean', typeof value === 'boolean'] as const)
    : schema.isNumericSchema()
      ? (['a number', Number.isFinite(value)] as const)
      : (['a string', typeof value === 'string'] as const);
  if (is) return value;
  throw wrong(at, kind, value);
}

/** Bytes are base64 inside of a document, and bytes where they are the whole body. */
function blob(value: unknown, direction: Direction, at: string): unknown {
  if (value instanceof Uint8Array) return direction === 'encode' ? Buffer.from(value).toString('base64') : value;
  if (direction === 'decode' && typeof value === 'string') return Buffer.from(value, 'base64');
  throw wrong(at, 'bytes', value);
}

/** Seconds since 1970, which is the default of both JSON protocols. */
function timestamp(value: unknown, direction: Direction, at: string): unknown {
  if (direction === 'encode' && value instanceof Date) return value.getTime() / 1000;
  if (direction === 'decode' && typeof value === 'number') return new Date(value * 1000);
  throw wrong(at, 'a time', value);
}

function recordAt(value: unknown, at: string): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw wrong(at, 'an object', value);
}

/** Without the value, which may be a secret. */
function wrong(at: string, kind: string, value: unknown): ShapeError {
  return new ShapeError(`${at} must be ${kind} and is ${Array.isArray(value) ? 'a list' : typeof value}`);
}
