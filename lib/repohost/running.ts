import { rmSync } from 'node:fs';
import * as v from 'valibot';
import { keyedBy, readStateSync, writeStateSync } from '../files/state-file.ts';
import { isAlive, processStartTime } from '../process/process-info.ts';

const WebhookSchema = v.object({
  /** `{default_branch}` in it stands for the default branch of the repository. */
  url: v.string(),
  /** The login of the calls. */
  user: v.string(),
  secret: v.string(),
  /** Secrets of owners whose pushes are posted with their own login. */
  owners: v.optional(keyedBy(v.string(), v.string()), {}),
});

/** The webhook that pushes are posted to. */
export type Webhook = v.InferInput<typeof WebhookSchema>;

const RunningSchema = v.object({
  pid: v.number(),
  /** Tells the process from a later one with the same id. */
  startTime: v.optional(v.string(), ''),
  url: v.string(),
  webhook: WebhookSchema,
});

/** The running host: its process, its address, and the webhook it calls. */
export type RunningHost = v.InferInput<typeof RunningSchema>;

/** Returns the secret with which the webhook is called for a user; null when it never is. */
export function webhookSecret({ user, secret, owners = {} }: Webhook, name: string): string | null {
  if (Object.hasOwn(owners, name)) return owners[name] ?? null;
  return name === user ? secret : null;
}

/**
 * Writes the file in which the hooks find the host of this process, and returns what it says. It is for its owner only,
 * because it holds the webhook's secret.
 */
export async function announce(file: string, host: Pick<RunningHost, 'url' | 'webhook'>): Promise<RunningHost> {
  const running = { pid: process.pid, startTime: await startTimeOf(process.pid), ...host };
  writeStateSync(file, running, { secret: true });
  return running;
}

/** Removes the file when the host stops. */
export function withdraw(file: string): void {
  rmSync(file, { force: true });
}

/**
 * Returns the running host, or null. A file that a killed host left behind is ignored: another program may have its id
 * and its port by now, and must not receive the secret.
 */
export async function findRunning(file: string): Promise<RunningHost | null> {
  const running = readStateSync(file, RunningSchema);
  if (!running || !isAlive(running.pid)) return null;
  return (await startTimeOf(running.pid)) === running.startTime ? running : null;
}

/** Empty on a system that does not tell. */
async function startTimeOf(pid: number): Promise<string> {
  return (await processStartTime(pid)) ?? '';
}
