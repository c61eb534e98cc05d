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
export type Running = v.InferOutput<typeof RunningSchema>;

/** Tells the hooks where the host is; the file is for its owner only, since it holds the webhook's secret. */
export function announce(file: string, running: Running): void {
  writeStateSync(file, running, { secret: true });
}

/** Takes the announcement back. */
export function withdraw(file: string): void {
  rmSync(file, { force: true });
}

/**
 * The host that runs now, or null. A file that a killed host left behind does not count: its port may belong to a
 * stranger by now, who must not be sent the secret.
 */
export function findRunning(file: string): Running | null {
  const running = readStateSync(file, RunningSchema);
  return running && isAlive(running.pid) ? running : null;
}
