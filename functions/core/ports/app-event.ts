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
export interface Incident extends Omit<AppEvent, 'app' | 'snapshot' | 'serves' | 'restart'> {
  /** Null: it is about no application. */
  readonly app: string | null;
  /** The subject of its sentence, by which its end is known: `The process worker.1`. */
  readonly about: string;
  /** The same of what fails again within an hour, which is told in one entry. */
  readonly first: string;
}
