import { mkdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { jsonIn } from '../../functions/core/json-value.ts';
import { replaceFile, replaceFileSync, type WriteOptions } from './atomic-file.ts';
import { hasCode, OperatorError } from './errors.ts';

/**
 * Returns the parsed content of a JSON state file, or `undefined` when there is none.
 *
 * @throws OperatorError when the file cannot be read, is damaged or has another shape: going on would overwrite it
 */
export async function readState<S extends v.GenericSchema>(
  path: string,
  schema: S,
): Promise<v.InferOutput<S> | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => noText(path, error));
  return text === undefined ? undefined : parsed(path, schema, text);
}

/** Like `readState`, synchronously. */
export function readStateSync<S extends v.GenericSchema>(path: string, schema: S): v.InferOutput<S> | undefined {
  const text = readTextSync(path);
  return text === undefined ? undefined : parsed(path, schema, text);
}

/** Replaces a JSON state file in one step; its folder is made when it does not exist. */
export async function writeState(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, textOf(value));
}

/** Like `writeState`, synchronously. */
export function writeStateSync(path: string, value: unknown, options: WriteOptions = {}): void {
  mkdirSync(dirname(path), { recursive: true });
  replaceFileSync(path, textOf(value), options);
}

/** Returns the text of a file, or `undefined` when there is none. Throws an `OperatorError`. */
export function readTextSync(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return noText(path, error);
  }
}

function noText(path: string, error: unknown): undefined {
  if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
  throw new OperatorError(`The file ${path} cannot be read: check its permissions.`, { cause: error });
}

function textOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function parsed<S extends v.GenericSchema>(path: string, schema: S, text: string): v.InferOutput<S> {
  const result = v.safeParse(schema, jsonIn(text));
  if (result.success) return result.output;
  // Without the cause: the message of a parser quotes the text, which may be secret.
  throw new OperatorError(`The file ${path} is damaged: restore it, or remove it to begin without its content.`);
}

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
): v.GenericSchema<Values<v.InferInput<V>>, Values<v.InferOutput<V>>> {
  return v.pipe(
    v.custom<Values<v.InferInput<V>>>(isObject, 'must be an object'),
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
