import { rmSync } from 'node:fs';
import * as v from 'valibot';
import { isAlive } from '../processes/process-info.ts';
import { readStateSync, writeStateSync } from '../processes/state-file.ts';

const RunningSchema = v.object({
  pid: v.number(),
  url: v.string(),
  webhook: v.object({ url: v.string(), user: v.string(), secret: v.string() }),
});

/** The running host: its process, its address, and the webhook it calls. */
export type RunningHost = v.InferOutput<typeof RunningSchema>;

/** Writes the file in which the hooks find the host. It is for its owner only, because it holds the webhook's secret. */
export function announce(file: string, running: RunningHost): void {
  writeStateSync(file, running, { secret: true });
}

/** Removes the file when the host stops. */
export function withdraw(file: string): void {
  rmSync(file, { force: true });
}

/**
 * Returns the running host, or null. A file that a killed host left behind is ignored: another program may use its port by
 * now, and must not receive the secret.
 */
export function findRunning(file: string): RunningHost | null {
  const running = readStateSync(file, RunningSchema);
  return running && isAlive(running.pid) ? running : null;
}
