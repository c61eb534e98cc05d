import * as v from 'valibot';

/** The type of a shape as the service sends it. */
export type Sent<S extends v.GenericSchema> = Fixed<v.InferOutput<S>>;

/** The type of a shape for clients: a later version of the service may send words that this one does not know. */
export type Received<S extends v.GenericSchema> = Widened<v.InferOutput<S>>;

type Fixed<T> = T extends object ? { readonly [K in keyof T]: Fixed<T[K]> } : T;
type Widened<T> = T extends string ? string : T extends object ? { readonly [K in keyof T]: Widened<T[K]> } : T;

export const text = v.string();
export const textOrNull = v.nullable(text);
/** RFC 3339. */
export const time = v.pipe(text, v.isoTimestamp());
export const timeOrNull = v.nullable(time);
export const uri = v.pipe(text, v.url());
export const integer = v.pipe(v.number(), v.integer());
export const count = v.pipe(integer, v.minValue(0));

/** Returns a schema with a description, which changes nothing of its type. */
export function about<S extends v.GenericSchema>(description: string, schema: S): S {
  return v.pipe(schema, v.description(description)) as unknown as S;
}
