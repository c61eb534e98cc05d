import { isObject } from '../../../core/json.ts';

/** Returns whether a body has a non-null field, given as a path of own keys (`repository.owner`). */
export function hasField(body: unknown, path: string): boolean {
  let value = body;
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return value !== undefined && value !== null;
}
