import type { Incident } from '../../functions/core/ports/app-event.ts';
import type { TokenStore } from '../../functions/core/ports/repository-host.ts';
import { diskSpace, lowBytes } from '../files/disk-usage.ts';

interface ConditionParts {
  readonly dataDir: string;
  readonly tokens: Pick<TokenStore, 'list'>;
  readonly users: () => Promise<readonly string[]>;
  readonly tell: (incident: Pick<Incident, 'user' | 'about' | 'state' | 'reason'>) => Promise<void>;
  /** Returns the incidents about no application that are not over. */
  readonly failing: () => Promise<readonly Pick<Incident, 'user' | 'about'>[]>;
  readonly now?: () => number;
  /** Returns the bytes of a folder's disk. */
  readonly space?: typeof diskSpace;
}

const MB = 1024 * 1024;
/** So long before its end a host's token is told of. */
const TOKEN = 'The token of ';
const TOKEN_MS = 14 * 24 * 60 * 60_000;
const EVERY_MS = 10 * 60_000;
/** Its first look is no part of a start. */
const FIRST_MS = 10_000;

/** Looks at the disk of the data folder, which is told to the first user, and at the tokens of hosts that users have stored. */
export async function lookAt(parts: ConditionParts): Promise<void> {
  const { tokens, users, tell, failing, now = Date.now } = parts;
  const removed = (await failing()).filter(({ about }) => about.startsWith(TOKEN));
  const names = await users();
  const [first] = names;
  if (first !== undefined) await lookAtDisk(first, parts);
  for (const user of names) {
    for (const { host, app, login, expiresAt } of await tokens.list(user)) {
      const about = `${TOKEN}${login} at ${host}${app === '*' ? '' : ` for ${app}`}`;
      const told = removed.findIndex((one) => one.user === user && one.about === about);
      if (told >= 0) removed.splice(told, 1);
      const ends = expiresAt !== null && Date.parse(expiresAt) - now() < TOKEN_MS ? expiresAt.slice(0, 10) : null;
      const pair = `hooks pair ${host} --login ${login}${app === '*' ? '' : ` --app ${app}`}`;
      const advice = `make another one there, and store it with "${pair}"`;
      if (ends === null) await tell({ user, about, state: 'running', reason: `${about} was replaced.` });
      else await tell({ user, about, state: 'crashed', reason: `${about} ends on ${ends}: ${advice}.` });
    }
  }
  for (const { user, about } of removed) await tell({ user, about, state: 'running', reason: `${about} was removed.` });
}

async function lookAtDisk(user: string, { dataDir, tell, space = diskSpace }: ConditionParts): Promise<void> {
  const about = 'The disk of the data folder';
  const { total, free } = await space(dataDir);
  const low = lowBytes(total);
  const has = `${about} has ${Math.floor(free / MB)} MB free`;
  if (free < low)
    await tell({ user, about, state: 'crashed', reason: `${has}: remove applications or files, or enlarge it.` });
  else if (free > 2 * low) await tell({ user, about, state: 'running', reason: `${has} again.` });
}

/** Looks every ten minutes, one look at a time. Returns what ends that. */
export function watchConditions(parts: ConditionParts, failed: (error: unknown) => void): () => Promise<void> {
  let looking = Promise.resolve();
  const look = () => {
    looking = looking.then(() => lookAt(parts)).catch(failed);
  };
  const timers = [setTimeout(look, FIRST_MS).unref(), setInterval(look, EVERY_MS).unref()];
  return async () => {
    for (const timer of timers) clearTimeout(timer);
    await looking;
  };
}
