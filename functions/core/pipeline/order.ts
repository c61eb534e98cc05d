import { type Entry, isFinal } from '../entry/entry.ts';
import type { DeployLog } from '../ports/log.ts';
import { type EndPorts, endDeploy } from './end-deploy.ts';

/**
 * Ends the deploy that an entry follows on its branch, now that the entry is being deployed; one whose application is
 * being started goes on. A second call changes nothing.
 */
export async function overtake({ user, follows, branch, number }: Entry, ports: EndPorts): Promise<void> {
  if (follows === undefined) return;
  const reason = `A newer deploy of ${branch} has begun: #${number}.`;
  await endDeploy({ user, number: follows }, { status: 'superseded', reason }, ports);
}

/** Returns what the start of an entry's application waits for; null when nothing is in its way. */
export async function waitBeforeStart(
  { user, follows }: Entry,
  { log }: { readonly log: Pick<DeployLog, 'read'> },
): Promise<string | null> {
  const earlier = follows === undefined ? null : await log.read(user, follows);
  if (!earlier || isFinal(earlier.status)) return null;
  return `Waits for #${earlier.number}, whose application is being started.`;
}
