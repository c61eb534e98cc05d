import { isObject } from '../../../core/json.ts';

/** A setting of a map of settings; undefined when there is none, or no map. */
export function field(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A setting that may be one value or a list of them. */
export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

// Many CI providers read YAML 1.1, in which `no` and `off` are booleans; the parser here reads 1.2, in which they are text.

/** Whether a setting says no, as YAML 1.1 or 1.2 writes it. */
export function isNo(value: unknown): boolean {
  return value === false || (typeof value === 'string' && /^(?:false|no|off|n)$/i.test(value));
}

/** Whether a setting says yes, as YAML 1.1 or 1.2 writes it. */
export function isYes(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^(?:true|yes|on|y)$/i.test(value));
}

/** Whether a setting is an address: text, a variable in it or not, or the place (`secure`, `from_secret`) of a secret one. */
export function isAddress(value: unknown, secretKey: string): boolean {
  if (typeof value === 'string') return value.trim() !== '' && !isNo(value);
  const secret = field(value, secretKey);
  return typeof secret === 'string' && secret !== '';
}
