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

/** A change, with all that the service says of it. */
export type Row = v.InferOutput<typeof Row>;

/** The line with which the service ends a stream: why, and the cursor to go on from. */
export type Ending = v.InferOutput<typeof Ending>;

/**
 * What a line says; null when it is neither a change nor an ending. What comes back is the very object that was sent,
 * with its fields in their order and those that are not known here.
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
