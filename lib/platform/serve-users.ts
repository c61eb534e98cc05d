import { messageOf } from '../http/http-error.ts';
import type { Runners } from './runner/runners.ts';
import type { Log } from './settings.ts';
import type { Apps } from './store/apps.ts';
import type { ServedUsers } from './store/served-users.ts';

interface ServeParts {
  readonly users: ServedUsers;
  readonly apps: Apps;
  readonly runners: Pick<Runners, 'end' | 'resume' | 'tellAll'>;
  readonly log: Log;
}

/**
 * Runs the applications of these users and of no others. Those of the others end, and run again when the user is among
 * the names again. Calls for the others are refused first, so that nothing is started again meanwhile.
 */
export async function serveUsers({ users, apps, runners, log }: ServeParts, names: readonly string[]): Promise<void> {
  const before = await users.list();
  const added = names.filter((user) => !before.includes(user));
  const gone = before.filter((user) => !names.includes(user));
  users.set(names);
  if (added.length + gone.length === 0) return;
  for (const user of gone) for (const app of await apps.list(user)) await runners.end(app);
  // The names of applications of an only user are shorter.
  await runners.tellAll();
  for (const user of added) {
    // They may take minutes to answer.
    runners.resume(user).catch((error) => log({ type: 'platform.error', user, detail: messageOf(error) }));
  }
}
