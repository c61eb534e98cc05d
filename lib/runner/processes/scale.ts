import type { Scale } from '../../../functions/core/ports/processes.ts';
import type { ProcessTypes } from '../../builder/start/process-types.ts';
import { HttpError } from '../../http/http-error.ts';

/** The most processes of one application besides its first `web`. */
const MOST_PROCESSES = 20;

/** Returns how many are to run of a type, as it was said: 1 when it was not. A `web` that is `auto` may sleep. */
export function wantedOf(type: string, scale: Scale): number | 'auto' {
  return Object.hasOwn(scale, type) ? (scale[type] ?? 1) : 1;
}

/** Returns how many run of a type. */
export function countOf(type: string, scale: Scale): number {
  const wanted = wantedOf(type, scale);
  return wanted === 'auto' ? 1 : wanted;
}

/** Returns the numbers of the processes of a type. */
export function numbersOf(type: string, scale: Scale): readonly number[] {
  return Array.from({ length: countOf(type, scale) }, (_, at) => at + 1);
}

export function typeNames({ web, others }: ProcessTypes): readonly string[] {
  return [...(web ? ['web'] : []), ...Object.keys(others)];
}

/** Returns the scale with a change. Throws 400 for what cannot be, with one sentence. */
export function changedScale(
  app: string,
  { types, scale }: { readonly types: ProcessTypes; readonly scale: Scale },
  change: Readonly<Record<string, unknown>>,
): Scale {
  const names = typeNames(types);
  const counts = Object.entries(change).map(([type, count]): [string, number | 'auto'] => {
    if (!names.includes(type)) {
      throw new HttpError(400, `${app} has no process ${type.slice(0, 80)}; it has ${names.join(', ')}.`);
    }
    if (type === 'web' && count === 'auto') return [type, count];
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) {
      throw new HttpError(400, `The number of ${type} processes is a whole number from 0.`);
    }
    return [type, count];
  });
  const changed = Object.fromEntries([...Object.entries(scale), ...counts]);
  // An application with too many, from an earlier version of the service, may reduce them.
  if (totalOf(types, changed) <= Math.max(MOST_PROCESSES, totalOf(types, scale))) return changed;
  throw new HttpError(400, `An application has at most ${MOST_PROCESSES} processes besides its first web.`);
}

/** The lines of a Procfile, by their names. */
interface Types {
  readonly web?: unknown;
  readonly others: Readonly<Record<string, unknown>>;
}

function totalOf({ web, others }: Types, scale: Scale): number {
  const webs = web === undefined ? 0 : Math.max(0, countOf('web', scale) - 1);
  return Object.keys(others).reduce((sum, type) => sum + countOf(type, scale), webs);
}

/** Returns why a release is not run, in one sentence: its Procfile asks for too many processes. Null when it is. */
export function tooManyProcesses(types: Types, scale: Scale): string | null {
  const total = totalOf(types, scale);
  if (total <= MOST_PROCESSES) return null;
  return (
    `The Procfile asks for ${total} processes besides its first web, and an application has at most ${MOST_PROCESSES}: ` +
    'take lines out, or scale some down (hooks scale).'
  );
}
