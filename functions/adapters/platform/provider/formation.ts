import { isObject, parseJson } from '../../../core/json.ts';

/** The number of instances of each process type of an app. */
export type Formation = Readonly<Record<string, number>>;

/** Returns the formation that was kept as JSON when the application was stopped. */
export function keptFormation(text: string | undefined): Formation {
  const parsed = parseJson(text ?? '{}');
  const entries = parsed.ok && isObject(parsed.value) ? Object.entries(parsed.value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}
