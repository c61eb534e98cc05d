import * as v from 'valibot';

/** A platform says that an application crashes again and again, answers again, or runs with something to note. */
export const AppEvent = v.object({
  /** The number of the event, growing. */
  seq: v.pipe(v.number(), v.safeInteger()),
  user: v.string(),
  app: v.string(),
  snapshot: v.string(),
  state: v.picklist(['crashed', 'running']),
  /** One sentence; null when there is nothing to explain. */
  reason: v.nullable(v.string()),
  /** The last lines that the application printed. */
  log: v.pipe(v.array(v.string()), v.readonly()),
  /** The snapshot that serves in its place; absent when none does. */
  serves: v.optional(v.string()),
  /** The number of the entry of a restart that is taken back: what ran before serves again. */
  restart: v.optional(v.number()),
});

export type AppEvent = Readonly<v.InferOutput<typeof AppEvent>>;

/** Something that fails outside of a deploy, or is over: a job of cron, a limit, a disk. */
export const Incident = v.object({
  ...v.omit(AppEvent, ['snapshot', 'serves', 'restart']).entries,
  /** Null: it is about no application. */
  app: v.nullable(v.string()),
  /** The subject of its sentence, by which its end is known: `The process worker.1`. */
  about: v.string(),
  /** The same of what fails again within an hour, which is told in one entry. */
  first: v.string(),
});

export type Incident = Readonly<v.InferOutput<typeof Incident>>;

/** What fails again so soon is told in the entry that has told it before. */
export const SAME_ENTRY_MS = 60 * 60_000;

/** What was told last of a subject; `at` is in milliseconds since 1970. */
interface Told extends Pick<Incident, 'state' | 'first'> {
  readonly at: number;
}

/** Returns the `first` of what a subject is now; null when that is told already, or was never otherwise. */
export function firstOf(now: Told, before: Told | undefined): string | null {
  if (now.state === (before?.state ?? 'running')) return null;
  const isSame = before && (now.state === 'running' || now.at - before.at < SAME_ENTRY_MS);
  return isSame ? before.first : now.first;
}
