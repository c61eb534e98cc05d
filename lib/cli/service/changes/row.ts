import * as v from 'valibot';

const Row = v.looseObject({
  id: v.string(),
  app_name: v.nullish(v.string()),
  status: v.string(),
  provider: v.nullish(v.string()),
  commit: v.nullish(v.string()),
  seq: v.number(),
  error: v.nullish(v.looseObject({ code: v.string(), detail: v.nullish(v.string()) })),
  doc: v.nullish(v.looseObject({ reason: v.nullish(v.string()), updated_at: v.nullish(v.string()) })),
});
const Ending = v.looseObject({ code: v.string(), last_seq: v.number() });

/** A change, with all fields that the service sent. */
export type Row = v.InferOutput<typeof Row>;

/** The last line of a stream: why the service ends it, and the number to continue from. */
export type Ending = v.InferOutput<typeof Ending>;

/**
 * Parses a line; null when it is neither a change nor an ending. The object is the one that was sent, with its fields
 * in order, including unknown ones.
 */
export function readLine(line: string): { readonly row: Row } | { readonly ending: Ending } | null {
  const value = parsed(line);
  if (v.is(Row, value)) return { row: value };
  return v.is(Ending, value) ? { ending: value } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
