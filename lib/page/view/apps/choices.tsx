import { useState } from 'preact/hooks';
import type { ChangedSettings, Settings } from '../../../../functions/api/shapes/applications.ts';
import { SETTING_NAMES, type SettingName, settingOf } from '../../../../functions/core/apps/settings.ts';
import type { Application } from '../../../client/applications.ts';
import { useForm } from '../../service/use-action.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Act } from '../parts/ask.tsx';
import { Input, LineForm } from '../parts/form.tsx';

/** What can be said about an application: a row for each setting, with who has said it, and a field that changes it. */
export function Choices({ app: { name: app, pull_request } }: { app: Application }) {
  const { api, refreshApps } = useWorkspace();
  const [settings, setSettings] = useState<Settings | ChangedSettings | null>(null);
  const path = ['apps', api.user, app, 'settings'];
  const failure = useReading(() => api.call<Settings>({ path }).then(setSettings), app);
  const change = async (name: SettingName, value: unknown) => {
    setSettings(await api.call<ChangedSettings>({ method: 'PATCH', path, body: { [name]: value } }));
    await refreshApps();
  };
  // A preview has those of its application.
  if (pull_request) return null;
  return (
    <section aria-labelledby="choices">
      <h2 id="choices">Build and start</h2>
      <p class="muted">
        What is set here comes before "deploy" in package.json. What neither says is found in the repository.
      </p>
      <Alert text={failure} />
      {settings && (
        <div class="card table">
          {SETTING_NAMES.map((name) => (
            <Choice key={`${app} ${name}`} name={name} settings={settings} onChange={(value) => change(name, value)} />
          ))}
        </div>
      )}
      {settings && 'next' in settings && (
        <p class="muted" role="status">
          {settings.next}
        </p>
      )}
    </section>
  );
}

interface ChoiceProps {
  readonly name: SettingName;
  readonly settings: Settings;
  readonly onChange: (value: unknown) => Promise<void>;
}

function Choice({ name, settings, onChange }: ChoiceProps) {
  const { about, value: called, kind, isOfRepository } = settingOf(name);
  const [own, found] = [settings[name], settings.found?.[name]];
  const given = own ?? settings.in_package?.[name];
  const form = useForm((fields) => onChange(kind.typed(String(fields.get('value')).trim())));
  return (
    <LineForm
      form={form}
      class="choice"
      verb={
        <>
          Set<span class="visually-hidden"> {name}</span>
        </>
      }
      more={
        own !== null &&
        !isOfRepository && (
          <Act class="small quiet" work={() => onChange(null)}>
            Unset<span class="visually-hidden"> {name}</span>
          </Act>
        )
      }
    >
      <span class="name">
        <code>{name}</code> <span class="faint">{saidBy(own, given, found)}</span>
      </span>
      <Input
        name="value"
        aria-label={name}
        aria-describedby={`about-${name}`}
        {...(kind.json === 'secret'
          ? ({ type: 'password', autocomplete: 'new-password', required: true, placeholder: called } as const)
          : { placeholder: inWords(found) || called, defaultValue: inWords(given) })}
      />
      <span class="faint about" id={`about-${name}`}>
        {about}
      </span>
    </LineForm>
  );
}

function saidBy(own: unknown, given: unknown, found: unknown): string {
  if (given === null || given === undefined) {
    if (found === '') return 'found: none';
    return found === null || found === undefined ? 'not set' : 'found';
  }
  const none = given === '' ? 'none, ' : '';
  return `${none}${own === null ? 'by package.json' : 'set'}`;
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}
