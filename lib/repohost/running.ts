import { rmSync } from 'node:fs';
import * as v from 'valibot';
import { isAlive } from '../processes/process-info.ts';
import { readStateSync, writeStateSync } from '../processes/state-file.ts';

const RunningSchema = v.object({
  pid: v.number(),
  url: v.string(),
  webhook: v.object({ url: v.string(), user: v.string(), secret: v.string() }),
});

/** The host that runs now: its process, its address, and the webhook it calls. */
export type RunningHost = v.InferOutput<typeof RunningSchema>;

/** Writes the file in which the hooks find the host. It is for its owner only, because it holds the webhook's secret. */
export function announce(file: string, running: RunningHost): void {
  writeStateSync(file, running, { secret: true });
}

/** Removes the file. */
export function withdraw(file: string): void {
  rmSync(file, { force: true });
}

/**
 * Returns the host that runs now, or null. A file that a killed host left behind does not count: its port may belong to
 * another program by now, which must not get the secret.
 */
export function findRunning(file: string): RunningHost | null {
  const running = readStateSync(file, RunningSchema);
  return running && isAlive(running.pid) ? running : null;
}
