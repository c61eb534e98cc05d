import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineUsers } from '../engine/users.ts';

/**
 * Takes over the users of version 1.0.0, which were files of the platform in the same form, with their passwords and API
 * tokens. The files stay until the second start, so that one can go back.
 */
export async function takeOverUsers(
  dataDir: string,
  { names, takeOver }: Pick<EngineUsers, 'names' | 'takeOver'>,
  warn: (sentence: string) => void,
): Promise<void> {
  const folder = join(dataDir, 'platform', 'users');
  if (!existsSync(folder)) return;
  if ((await names()).length > 0) return rmSync(folder, { recursive: true });
  const users = readdirSync(folder).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
  const file = (user: string) => join(folder, `${user}.json`);
  for (const user of await takeOver(new Map(users.map((user) => [user, readFileSync(file(user), 'utf8')])))) {
    warn(`The file ${file(user)} is damaged: ${user} keeps the password, and has to make the API tokens again.`);
  }
}
