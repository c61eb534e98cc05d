import { useState } from 'preact/hooks';
import type { Variables as VariablesAnswer } from '../../../../functions/api/shapes/applications.ts';
import type { Application } from '../../../client/applications.ts';
import type { Entry } from '../../../client/entry.ts';
import { useAction } from '../../service/use-action.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Drop } from '../parts/ask.tsx';
import { NewVariables } from './new-variables.tsx';

type Values = VariablesAnswer['env'];

/** The variables of an application. A value is read when it is asked for, and not before. */
export function Variables({ app }: { app: Application }) {
  const { api, add } = useWorkspace();
  const [values, setValues] = useState<Values | null>(null);
  const action = useAction();
  const path = ['apps', api.user, app.name, 'env'];
  const read = async () => {
    const { env } = await api.call<VariablesAnswer>({ path });
    setValues((shown) => Object.fromEntries(Object.keys(env).map((name) => [name, shown?.[name] ?? null])));
  };
  const failure = useReading(read, app.name);
  const show = (name: string) =>
    action.run(async () => {
      const { env } = await api.call<VariablesAnswer>({ path, query: { values: true } });
      setValues((shown) => ({ ...shown, [name]: env[name] ?? '' }));
    });
  const hide = (name: string) => setValues((shown) => ({ ...shown, [name]: null }));
  const change = async (changes: Values) => {
    const { restart } = await api.call<{ restart: Entry | null }>({ method: 'PATCH', path, body: changes });
    if (restart) add(restart);
    for (const name of Object.keys(changes)) hide(name);
    await read();
  };
  return (
    <section aria-labelledby="variables">
      <h2 id="variables">Variables</h2>
      <p class="muted">They are kept across deploys. A change restarts the application, once for all that it has.</p>
      <Alert text={failure ?? action.failure} />
      <div class="card table">
        <NewVariables onSet={change} />
        {Object.entries(values ?? {}).map(([name, value]) => (
          <div class="grid line" key={name}>
            <code class="name">{name}</code>
            {value === null ? <span class="faint">••••••••</span> : <code class="value">{value}</code>}
            <span class="buttons">
              <button type="button" class="small" onClick={() => (value === null ? show(name) : hide(name))}>
                {value === null ? 'Show' : 'Hide'}
                <span class="visually-hidden"> {name}</span>
              </button>
              <Drop
                what={name}
                verb="Delete"
                effect={`${app.name} is restarted without it.`}
                work={() => change({ [name]: null })}
              />
            </span>
          </div>
        ))}
      </div>
    </section>
  );
}
