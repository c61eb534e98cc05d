import { useState } from 'preact/hooks';
import type { Application } from '../../../client/applications.ts';
import { copyVariables } from '../../../client/variables.ts';
import { environmentLines } from '../../model/push.ts';
import { REPOSITORIES } from '../../service/api.ts';
import { useForm } from '../../service/use-action.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { Input, LineForm, Switch } from '../parts/form.tsx';

/** A second application of a repository of this service, such as staging beside production. */
export function Environments({ app }: { app: Application }) {
  const { api } = useWorkspace();
  const [copies, setCopies] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const host = REPOSITORIES;
  const form = useForm(async (fields) => {
    const environment = String(fields.get('environment')).trim().toLowerCase();
    const to = `${app.app}-${environment}`;
    await api.call({ method: 'PATCH', path: ['apps', api.user, to, 'settings'], body: { environment } });
    if (copies) await copyVariables(api, { from: app.app, to });
    setMade(environment);
  });
  if (host === null || app.environment !== undefined || app.pull_request !== undefined) return null;
  const lines = made && environmentLines({ host, user: api.user, name: `${app.app}-${made}` }, made);
  return (
    <section aria-labelledby="environments">
      <h2 id="environments">Environments</h2>
      <p class="muted">
        An application of its own from the same package.json, with variables, domains and data of its own: staging
        beside production.
      </p>
      <div class="card table">
        <LineForm form={form} verb="Create">
          <Input name="environment" aria-label="Name of the environment" placeholder="staging" required />
          <Switch is={copies} onSwitch={setCopies} about="Change what the two must not share, such as a database.">
            Begin with the variables of {app.name}
          </Switch>
        </LineForm>
      </div>
      {lines && <CodeBlock name={`Lines that deploy ${app.app}-${made}`} text={lines} />}
    </section>
  );
}
