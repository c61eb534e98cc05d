import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from '../../files/atomic-file.ts';
import { OperatorError } from '../../files/errors.ts';
import { configFile, readConfig, writeConfig } from './config.ts';
import { isUserName } from './schema.ts';

/** A user of this machine and the password, which is kept in a file for its owner only. */
export interface Login {
  readonly user: string;
  readonly password: string;
}

/** The user that every machine has. */
const FIRST_USER = 'demo';

const PASSWORD_BYTES = 18;
/** The rights of everybody but the owner of a file. */
const OTHERS = 0o077;
const MAX_PASSWORD_LENGTH = 1024;

export function passwordFile(dataDir: string, user: string): string {
  return user === FIRST_USER ? join(dataDir, 'password') : join(dataDir, 'passwords', user);
}

/** Returns the users of a data folder: the first one, and those of the configuration. */
export function listUsers(dataDir: string): readonly string[] {
  return [...new Set([FIRST_USER, ...(readConfig(dataDir).users ?? [])])];
}

/** As above; undefined without a configuration: an editor may have moved it away for a moment, and a backup may lack it. */
export function configuredUsers(dataDir: string): readonly string[] | undefined {
  return existsSync(configFile(dataDir)) ? listUsers(dataDir) : undefined;
}

/** Returns the login of a user; the first call makes a password. A file that others could read is made the owner's only. */
export function readLogin(dataDir: string, user = FIRST_USER): Login {
  const file = passwordFile(dataDir, user);
  const stored = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const isKept = stored !== '' && (statSync(file).mode & OTHERS) === 0;
  return { user, password: isKept ? stored : writePassword(dataDir, user, stored || newPassword()) };
}

/**
 * Adds a user to the configuration, with that password or one that is made up, and returns the login. A running service
 * notices the user.
 *
 * @throws OperatorError when there is such a user, or the name or password cannot be used
 */
export function addUser(dataDir: string, user: string, password: string = newPassword()): Login {
  if (!isUserName(user)) {
    throw new OperatorError('A user name has 1 to 39 letters, digits and dashes, and is not repos or user.');
  }
  if (listUsers(dataDir).includes(user)) {
    throw new OperatorError(`There is a user ${user} already; the password is in ${passwordFile(dataDir, user)}.`);
  }
  writePassword(dataDir, user, password);
  // After the password: a running service takes the user in when the configuration changes.
  changeUsers(dataDir, (users) => [...users, user]);
  return { user, password };
}

/** Replaces the password of a user, by a made-up one when none is given. A running service takes it over. */
export function setPassword(dataDir: string, user: string, password: string = newPassword()): Login {
  if (!listUsers(dataDir).includes(user)) {
    throw new OperatorError(`There is no user ${user}: add the user first.`);
  }
  writePassword(dataDir, user, password);
  changeUsers(dataDir, (users) => users);
  return { user, password };
}

/**
 * Takes a user out of the configuration, with the password. A running service refuses the login from then on, forgets
 * the user's tokens and stops the user's applications; their files and repositories stay.
 *
 * @throws OperatorError when there is no such user, or it is the first one
 */
export function removeUser(dataDir: string, user: string): void {
  if (user === FIRST_USER) throw new OperatorError(`${FIRST_USER} is there from the start and cannot be removed.`);
  if (!listUsers(dataDir).includes(user)) throw new OperatorError(`There is no user ${user}.`);
  changeUsers(dataDir, (users) => users.filter((one) => one !== user));
  rmSync(passwordFile(dataDir, user), { force: true });
}

function changeUsers(dataDir: string, change: (users: readonly string[]) => readonly string[]): void {
  const config = readConfig(dataDir);
  writeConfig(dataDir, { ...config, users: [...change(config.users ?? [])] });
}

function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

function writePassword(dataDir: string, user: string, password: string): string {
  if (
    password.length === 0 ||
    password.length > MAX_PASSWORD_LENGTH ||
    /\p{Cc}/u.test(password) ||
    password.trim() !== password
  ) {
    throw new OperatorError(
      'A password has 1 to 1024 characters, without line breaks and without a space at its ends.',
    );
  }
  const file = passwordFile(dataDir, user);
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  replaceFileSync(file, `${password}\n`, { secret: true, durable: true });
  return password;
}
