/** Repeats the random choices of a run that has printed it. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

/** How much is tried, by variables; the defaults are what CI runs. */
export const budget = {
  seed,
  /** Deploys with random faults. */
  deploys: Number(process.env.DEPLOYS ?? 40),
  /** The only story to be told again, of those of the seed. */
  story: process.env.STORY === undefined ? null : Number(process.env.STORY),
  /** Pushes and clones whose connection is cut. */
  cuts: Number(process.env.CUTS ?? 40),
  /** Histories of a repository and its CI. */
  histories: Number(process.env.COUNT ?? 500),
  /** SIGKILLs during pushes to `npm start`. */
  kills: Number(process.env.KILLS ?? 2),
  /** Databases of one application, in a backup. */
  databases: Number(process.env.DATABASES ?? 200),
  /** No kill is begun after this time, in milliseconds since 1970: `MINUTES` after the start. */
  until: Date.now() + Number(process.env.MINUTES ?? 600) * 60_000,
  /** Within how many seconds of being ready the next start must have finished all accepted work. */
  recoverySeconds: Number(process.env.RECOVERY_SECONDS ?? 60),
} as const;
