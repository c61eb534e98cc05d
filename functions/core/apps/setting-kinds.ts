import { branchIn } from '../payload/branch.ts';
import { folderOf, isEnvironment } from '../payload/folder.ts';

/** A kind of values, which are JSON. */
export interface Kind<Value> {
  readonly json: 'text' | 'flag' | 'texts' | 'secret';
  /** The end of a sentence: "The setting build must be …". */
  readonly mustBe: string;
  /** Returns the value as it is kept; undefined for what is none. */
  read(given: unknown): Value | undefined;
  /** Returns what a command line means; null: the setting is removed. It is read by the service. */
  typed(text: string): unknown;
}

const MAX_COMMAND_CHARACTERS = 1000;
const MAX_PATHS = 20;
const MAX_PATH_CHARACTERS = 250;
/** A start has twelve minutes, in which another release may have to end and to be started again. */
const MAX_HEALTH_SECONDS = 600;
const MAX_HEALTH_CHARACTERS = 1000;
const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 200;
const CONTROL = /[\p{Cc}\p{Cs}]/u;

export const command: Kind<string> = {
  json: 'text',
  mustBe: `one line of at most ${MAX_COMMAND_CHARACTERS} characters; empty: none`,
  read: (given) => {
    const isCommand = typeof given === 'string' && given.length <= MAX_COMMAND_CHARACTERS && !CONTROL.test(given);
    return isCommand ? given.trim() : undefined;
  },
  typed: (text) => text,
};

export const folderOfWhat = (what: string): Kind<string> => ({
  json: 'text',
  mustBe: `a folder of ${what}: relative and without ".."`,
  read: (given) => {
    const folder = typeof given === 'string' && given !== '' ? folderOf(given) : null;
    return folder === null ? undefined : folder || '.';
  },
  typed: (text) => text || null,
});

export const branch: Kind<string> = {
  json: 'text',
  mustBe: 'the name of a branch',
  read: (given) => (typeof given === 'string' ? (branchIn(given) ?? undefined) : undefined),
  typed: (text) => text,
};

export const environment: Kind<string> = {
  json: 'text',
  mustBe: 'a word of lower-case letters, digits and single dashes, such as staging',
  read: (given) => (typeof given === 'string' && isEnvironment(given) ? given : undefined),
  typed: (text) => text.toLowerCase() || null,
};

export const yesOrNo: Kind<boolean> = {
  json: 'flag',
  mustBe: 'true or false',
  read: (given) => (typeof given === 'boolean' ? given : undefined),
  typed: (text) => (/^(?:true|false)$/.test(text) ? text === 'true' : text || null),
};

export const health: Kind<string> = {
  json: 'text',
  mustBe: `a path, and if it needs longer than a minute the seconds, at most ${MAX_HEALTH_SECONDS}: /healthz, 90`,
  read: (given) => (typeof given === 'string' && given.length <= MAX_HEALTH_CHARACTERS ? healthIn(given) : undefined),
  typed: (text) => text || null,
};

export const paths: Kind<readonly string[]> = {
  json: 'texts',
  mustBe: `at most ${MAX_PATHS} paths in the repository, each of at most ${MAX_PATH_CHARACTERS} characters, from the folder of the application, such as .tmp, public/uploads, *.sqlite`,
  read: (given) => {
    const all = Array.isArray(given) ? given.map((one) => (typeof one === 'string' ? pathIn(one) : undefined)) : [];
    const read = all.filter((path) => path !== undefined);
    return read.length > 0 && read.length <= MAX_PATHS && read.length === all.length ? read : undefined;
  },
  typed: (text) => (text.trim() === '' ? null : text.split(',').map((one) => one.trim())),
};

export const password: Kind<string> = {
  json: 'secret',
  mustBe: `one line of ${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} characters, without spaces at its ends`,
  read: (given) => {
    const isPassword = typeof given === 'string' && given.trim() === given && !CONTROL.test(given);
    const isLong = isPassword && given.length >= MIN_PASSWORD_CHARACTERS && given.length <= MAX_PASSWORD_CHARACTERS;
    return isLong ? given : undefined;
  },
  typed: (text) => text || null,
};

/** Returns a path without slashes at the ends; `..` at its beginning leads to what a monorepo has beside the application. */
function pathIn(text: string): string | undefined {
  const segments = text.split('/').filter((one) => one !== '' && one !== '.');
  const named = segments.slice(segments.findIndex((one) => one !== '..'));
  const isPath = segments.some((one) => one !== '..') && !named.includes('..') && !text.startsWith('/');
  return isPath && text.length <= MAX_PATH_CHARACTERS && !CONTROL.test(text) ? segments.join('/') : undefined;
}

/** Returns a path and seconds in the form that is kept. */
function healthIn(text: string): string | undefined {
  const [, path, given = '60'] = /^(\/[!-+\--~]*)(?:(?:\s*,\s*|\s+)(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const seconds = Number(given);
  return path === undefined || seconds < 1 || seconds > MAX_HEALTH_SECONDS ? undefined : `${path}, ${seconds}`;
}
