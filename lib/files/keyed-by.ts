import * as v from 'valibot';

type Values<V> = Readonly<Record<string, V>>;

/**
 * Returns the schema of an object with keys that users choose. Not `v.record`: it leaves out `constructor`, `prototype`
 * and `__proto__` without an error, and a user, an application or a variable may be called so.
 *
 * @param message what is wrong with a value that is no object
 */
export function keyedBy<V extends v.GenericSchema>(
  key: v.GenericSchema<string>,
  value: V,
  message = 'must be an object',
): v.GenericSchema<Values<v.InferInput<V>>, Values<v.InferOutput<V>>> {
  return v.pipe(
    v.custom<Values<v.InferInput<V>>>(isObject, message),
    v.rawTransform(({ dataset, addIssue }) => {
      const { value: input } = dataset;
      const read = Object.entries<unknown>(input).map(([name, content]): [string, v.InferOutput<V>] => {
        const results = [v.safeParse(key, name), v.safeParse(value, content)] as const;
        const step = { type: 'object', origin: 'value', input, key: name, value: content } as const;
        for (const { message, received, path = [] } of results.flatMap(({ issues }) => issues ?? [])) {
          addIssue({ message, received, path: [step, ...path] });
        }
        return [name, results[1].output];
      });
      // Unlike an assignment, this makes `__proto__` a field like any other.
      return Object.fromEntries(read);
    }),
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
