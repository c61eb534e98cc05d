import { isObject } from '../../../core/json.ts';

/** Whether a body has a field, given as a path of own keys (`repository.owner`), with any value but null. */
export function hasField(body: unknown, path: string): boolean {
  let value = body;
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return value !== undefined && value !== null;
}
