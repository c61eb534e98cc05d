import * as v from 'valibot';

/** Returns a response's JSON body. Throws when a field that the test reads is missing or of another type. */
export async function bodyOf<const Fields extends v.ObjectEntries>(
  response: Pick<Response, 'json'>,
  fields: Fields,
): Promise<v.InferOutput<v.LooseObjectSchema<Fields, undefined>>> {
  return v.parse(v.looseObject(fields), await response.json());
}
