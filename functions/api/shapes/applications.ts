import * as v from 'valibot';
import { type Settings as AllSettings, SETTING_NAMES, type SettingName, settingOf } from '../../core/apps/settings.ts';
import { type AppState, Domain } from '../../core/ports/applications.ts';
import { about, count, type Received, type Sent, text, textOrNull } from '../../core/schema.ts';
import { Entry, previewFields, Repository, RepositoryRef } from './entry.ts';
import { page } from './log.ts';

export const Application = about(
  'An application.',
  v.object({
    name: about('The name in package.json.', text),
    app: about('The name on the platform.', text),
    repository: about(
      'Of the deploy that it runs; before the first, that which it belongs to.',
      v.nullable(v.union([RepositoryRef, Repository])),
    ),
    branch: about('Of the deploy that it runs.', textOrNull),
    environment: v.exactOptional(about("The word that the webhook's address adds to the name in package.json.", text)),
    ...previewFields,
    state: about(
      '`starting`: it does not answer yet. `restarting`: it crashes. `asleep`: its next request starts it.',
      v.picklist(['running', 'starting', 'restarting', 'asleep', 'stopped', 'crashed', 'never'] satisfies AppState[]),
    ),
    url: about('Where it answers.', textOrNull),
    used: v.exactOptional(
      about(
        'The requests that were answered in the last hour, and the memory that its processes had last, in bytes; absent where nothing is counted.',
        v.object({ requests: count, memory: v.nullable(count) }),
      ),
    ),
    active: about('The entry whose deploy it runs.', v.nullable(Entry)),
    rollback: about('What it can be rolled back to, newest first.', v.array(Entry)),
  }),
);

export type SentApplication = Sent<typeof Application>;
export type ReceivedApplication = Received<typeof Application>;

const room = v.object({ total: count, free: count });

export const Machine = about(
  'What there is and what is free on the machine of the applications, in bytes; absent on AWS.',
  v.object({ memory: room, disk: room }),
);
export type Machine = Sent<typeof Machine>;

export const Applications = about(
  'A page of the applications of the user, sorted by name.',
  v.object({
    ...page,
    machine: v.exactOptional(Machine),
    apps: v.array(Application),
  }),
);

export const Compared = about(
  'What comparing an application with the tip of its branch has found.',
  v.union([
    Entry,
    about(
      'Why there is no entry.',
      v.object({
        app_name: text,
        branch: text,
        tip: about('The commit at the tip; null when there is no such branch.', textOrNull),
        reason: text,
      }),
    ),
  ]),
);

const sentKinds = { text, flag: v.boolean(), texts: v.array(text), secret: text };
const shownKinds = { ...sentKinds, secret: about('Whether there is one.', v.boolean()) };

type ShownSettings = Omit<AllSettings, 'password'> & { readonly password?: boolean };
type SettingFields<Values extends Partial<Record<SettingName, unknown>>> = {
  readonly [Name in SettingName]: v.GenericSchema<NonNullable<Values[Name]> | null>;
};

/** Returns the fields of all settings, each with a schema around that of its kind. */
function settingFields(
  kinds: typeof sentKinds | typeof shownKinds,
  around: (schema: v.GenericSchema) => v.GenericSchema,
) {
  const fields = SETTING_NAMES.map((name) => {
    const { about: line, kind } = settingOf(name);
    return [name, around(about(`${line[0]?.toUpperCase()}${line.slice(1)}.`, kinds[kind.json]))];
  });
  return Object.fromEntries(fields);
}

const settings: SettingFields<ShownSettings> = settingFields(shownKinds, (schema) => v.nullable(schema));
const changes: SettingFields<AllSettings> = settingFields(sentKinds, (schema) => v.exactOptional(v.nullable(schema)));

const shownSettings = {
  ...settings,
  in_package: about(
    'Those that `deploy` in the package.json of its newest deploy has: they count where null stands above.',
    v.object(settings),
  ),
  found: about('What the build of its newest deploy has used, set or found.', v.object(settings)),
};

export const Settings = about(
  'The settings of an application that a person has made; null for those that are not set.',
  v.object(shownSettings),
);
export const SettingsChange = about('Settings to change; null removes one.', v.object(changes));
export const ChangedSettings = about(
  'The settings of an application after a change.',
  v.object({ ...shownSettings, next: about('What is deployed next, and what is left to do.', text) }),
);

export const Transfer = about(
  'The repository that an application is given to.',
  v.object({ repository: RepositoryRef }),
);
export const Transferred = about(
  'The repository of an application after a transfer.',
  v.object({ repository: RepositoryRef, next: about('What is left to do.', text) }),
);

export const FirstDeploy = about(
  'A repository that is deployed, from the tip of a branch.',
  v.object({
    repository: RepositoryRef,
    branch: about('By default that of the repository.', v.exactOptional(text)),
    environment: about('Deploys it as <name>-<environment>.', v.exactOptional(text)),
  }),
);

export const Rename = about('The new name of an application, as in package.json.', v.object({ name: text }));

export type Transferred = Sent<typeof Transferred>;
export type Settings = Sent<typeof Settings>;
export type ChangedSettings = Sent<typeof ChangedSettings>;

export const Variables = about(
  'The environment variables of an application.',
  v.object({ env: about('The values by name; null without `values=true`.', v.record(text, textOrNull)) }),
);

export const VariableChange = about(
  'A variable that was set or removed.',
  v.object({ name: text, restart: about('The entry of the restart.', v.nullable(Entry)) }),
);

export const VariableChanges = about('New values of variables by name; null removes one.', v.record(text, textOrNull));

export const VariablesChange = about(
  'Variables that were set or removed.',
  v.object({ names: v.array(text), restart: about('The entry of the restart.', v.nullable(Entry)) }),
);

export { Domain };
export const Domains = about('The domains of an application, oldest first.', v.object({ domains: v.array(Domain) }));
export type Domains = Sent<typeof Domains>;

export const VariableValue = about('The value of a variable.', v.union([text, v.looseObject({ value: text })]));

export type Variables = Sent<typeof Variables>;
