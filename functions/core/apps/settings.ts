import { badParameter, DeployError } from '../errors.ts';
import { isObject } from '../json.ts';
import {
  branch,
  command,
  environment,
  folderOfWhat,
  health,
  type Kind,
  password,
  paths,
  yesOrNo,
} from './setting-kinds.ts';

/** One setting: API, command line, package.json, OpenAPI, page, builder and runner read its row. */
interface Setting<Value> {
  readonly kind: Kind<Value>;
  /** One line, without a full stop. */
  readonly about: string;
  /** How its value is called in a usage: `--output <folder>`. */
  readonly value: string;
  /** Why a platform does not have it, as the end of a sentence; absent: all have it. */
  readonly notOn?: Partial<Readonly<Record<PlatformName, string>>>;
  /** Why a package.json cannot have it. */
  readonly notInPackage?: string;
  /** Whether the setting belongs to the repository that deploys the application: there is none before its first deploy. */
  readonly isOfRepository?: true;
}

export type PlatformName = 'embedded' | 'aws-lambda';

const MAX_NAME_CHARACTERS = 40;
const LAMBDA_STARTS = 'AWS Lambda decides when instances start and end';

/** All settings, in the order in which they are shown. */
const SETTINGS = {
  branch: {
    kind: branch,
    about: 'the branch that it follows: at first that of its first push; nothing is deployed by a change',
    value: 'name',
    notInPackage: 'each branch has a package.json of its own',
    isOfRepository: true,
  },
  path: {
    kind: folderOfWhat('the repository, such as apps/web'),
    about: 'the folder of the application in a repository of this service, which has the name of the application',
    value: 'folder',
    notInPackage: 'it says where the package.json is',
    notOn: { 'aws-lambda': 'the address of the webhook names the folder (?path=apps/web)' },
  },
  environment: {
    kind: environment,
    about:
      'the word that a repository of this service adds to the name in package.json; the repository is called <name>-<word>',
    value: 'word',
    notInPackage: 'all environments have the same package.json',
    notOn: { 'aws-lambda': 'the address of the webhook names it (?environment=staging)' },
  },
  install: {
    kind: command,
    about: 'the command that installs the dependencies, in place of the package manager; empty: none',
    value: 'command',
  },
  build: {
    kind: command,
    about: 'the command that builds, in place of the script "build"; empty: none',
    value: 'command',
  },
  start: {
    kind: command,
    about: 'the command that starts the web process, in place of what is found; empty: none',
    value: 'command',
  },
  output: {
    kind: folderOfWhat('the application, such as dist'),
    about: 'the folder of static files that is served, in place of what is found',
    value: 'folder',
  },
  health: {
    kind: health,
    about:
      'the path that must answer below 400, within so many seconds (60; at most 600) at the start, and while it runs: three failures in a row are a crash; else / must answer below 500 at the start',
    value: '/path, seconds',
    notOn: { 'aws-lambda': LAMBDA_STARTS },
  },
  overlap: {
    kind: yesOrNo,
    about: 'false: the old release ends before the new one starts, for a lock or a port that exists once',
    value: 'true|false',
    notOn: { 'aws-lambda': LAMBDA_STARTS },
  },
  affinity: {
    kind: yesOrNo,
    about: 'true: a visitor stays with one of several web processes, by a cookie, as the polling of Socket.IO needs',
    value: 'true|false',
    notOn: { 'aws-lambda': 'AWS Lambda chooses the instance of each request' },
  },
  keep: {
    kind: paths,
    about: 'files and folders, with commas between them, that outlive releases: they lie in DATA_DIR',
    value: 'paths',
    notOn: { 'aws-lambda': 'no file outlives an instance of AWS Lambda' },
  },
  password: {
    kind: password,
    about: 'a password that each visitor is asked for, with any user name; nobody is shown it afterwards',
    value: 'password',
    notInPackage: 'a secret does not belong into git: "hooks set password=-" sets it',
    notOn: {
      'aws-lambda':
        'nothing stands before an application on AWS Lambda; let it ask by itself, with the password in a variable',
    },
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

export type SettingName = keyof typeof SETTINGS;

/** Values by name; what is absent is decided by what the repository holds. */
export type Settings = {
  readonly [Name in SettingName]?: (typeof SETTINGS)[Name]['kind'] extends Kind<infer Value> ? Value : never;
};

/** New values by name; null removes one. */
export type SettingChanges = { readonly [Name in SettingName]?: Settings[Name] | null };

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

export function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** Returns the row of a setting, whatever its kind. */
export function settingOf(name: SettingName): Setting<unknown> {
  return SETTINGS[name];
}

/** Returns the changes in what a client has sent. Throws `request:bad_parameter`, which names the setting. */
export function changedSettings(sent: Readonly<Record<string, unknown>>, platform: PlatformName): SettingChanges {
  const refused = (detail: string) => badParameter(detail);
  const changes = Object.entries(sent).map(([name, given]) => {
    if (!isSetting(name)) throw refused(`There is no setting ${shortly(name)}, but ${SETTING_NAMES.join(', ')}.`);
    if (given === null) return [name, null];
    const { notOn, kind } = settingOf(name);
    const reason = notOn?.[platform];
    if (reason !== undefined) throw refused(`The setting ${name} cannot be set: ${reason}.`);
    const value = kind.read(given);
    if (value === undefined) throw refused(`The setting ${name} must be ${kind.mustBe}.`);
    return [name, value];
  });
  if (changes.length > 0) return Object.fromEntries(changes);
  throw refused(`The body is JSON with settings to change: ${SETTING_NAMES.join(', ')}.`);
}

/** The settings of a deploy, and what its entry says about them, as parts of a sentence. */
interface UsedSettings {
  readonly settings: Settings;
  readonly notes: readonly string[];
}

/**
 * Returns the settings that a deploy uses: those of a person, and for the others those in `deploy` of its package.json. A
 * name there that is no setting may be of another tool: the entry says that it is not used. Throws
 * `deploy:repohost:no_pkg_json`, not retryable, for a value that the setting cannot have.
 */
export function usedSettings(
  byPerson: Settings,
  { deploy }: Readonly<Record<string, unknown>>,
  platform: PlatformName,
): UsedSettings {
  const notes: string[] = [];
  const inPackage: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(isObject(deploy) ? deploy : {})) {
    const setting = isSetting(name) ? settingOf(name) : undefined;
    const unused = setting ? (setting.notInPackage ?? setting.notOn?.[platform]) : 'there is no such setting';
    if (unused === undefined) inPackage[name] = valueIn(name, setting?.kind.read(given), setting?.kind.mustBe);
    else notes.push(`"deploy.${shortly(name)}" of package.json is not used: ${unused}`);
  }
  const settings: Settings = { ...inPackage, ...byPerson };
  const used = SETTING_NAMES.filter((name) => settings[name] !== undefined).map((name) => {
    const by = byPerson[name] === undefined ? 'package.json' : 'set by a person';
    return `${name} ${JSON.stringify(settings[name])} (${by})`;
  });
  return { settings, notes: [...(used.length > 0 ? [`settings: ${used.join(', ')}`] : []), ...notes] };
}

function valueIn(name: string, value: unknown, mustBe = ''): unknown {
  if (value !== undefined) return value;
  const detail = `"deploy.${name}" of package.json must be ${mustBe}.`;
  throw new DeployError('deploy:repohost:no_pkg_json', detail, { retry: false });
}

function shortly(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS)).slice(1, -1);
}
