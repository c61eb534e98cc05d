import { isObject } from '../../../core/json.ts';

/** Returns a setting of a map; undefined when it is missing, or the value is not a map. */
export function field(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Returns a setting that is one value or a list of them as a list. */
export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

// Many CI providers read YAML 1.1, where `no` and `off` are booleans; the parser here reads 1.2, where they are
// strings.

/** Whether a setting is false in YAML 1.1 or 1.2. */
export function isNo(value: unknown): boolean {
  return value === false || (typeof value === 'string' && /^(?:false|no|off|n)$/i.test(value));
}

/** Whether a setting is true in YAML 1.1 or 1.2. */
export function isYes(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^(?:true|yes|on|y)$/i.test(value));
}

/** Whether a setting is an address: a string, or an encrypted one (`secure`). */
export function isAddress(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && !isNo(value);
  const secret = field(value, 'secure');
  return typeof secret === 'string' && secret !== '';
}
