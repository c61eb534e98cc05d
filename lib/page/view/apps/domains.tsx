import { useState } from 'preact/hooks';
import type { Domain, Domains as DomainList } from '../../../../functions/api/shapes/applications.ts';
import type { Application } from '../../../client/applications.ts';
import { safeUrl } from '../../model/links.ts';
import { useForm } from '../../service/use-action.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Drop } from '../parts/ask.tsx';
import { Input, LineForm } from '../parts/form.tsx';
import { External } from '../parts/link.tsx';

/** The domains of an application: each with what is missing until it leads here. */
export function Domains({ app }: { app: Application }) {
  const { api, refreshApps } = useWorkspace();
  const [domains, setDomains] = useState<readonly Domain[] | null>(null);
  const path = ['apps', api.user, app.name, 'domains'];
  const read = () => api.call<DomainList>({ path }).then((answer) => setDomains(answer.domains));
  const failure = useReading(read, app.name);
  const change = async (method: 'PUT' | 'DELETE', name: string, redirect?: string) => {
    await api.call({ method, path: [...path, name], query: { redirect } });
    await Promise.all([read(), refreshApps()]);
  };
  return (
    <section aria-labelledby="domains">
      <h2 id="domains">Domains</h2>
      <p class="muted">
        The first one that is served is the address of the application. Each needs a DNS record that leads here.
      </p>
      <Alert text={failure} />
      {domains && (
        <div class="card table">
          <NewDomain
            targets={domains.filter(({ redirect }) => redirect === undefined).map(({ name }) => name)}
            onAdd={(name, redirect) => change('PUT', name, redirect)}
          />
          {domains.map((domain) => (
            <Line key={domain.name} domain={domain} app={app.name} onRemove={() => change('DELETE', domain.name)} />
          ))}
        </div>
      )}
    </section>
  );
}

interface LineProps {
  readonly domain: Domain;
  readonly app: string;
  readonly onRemove: () => Promise<unknown>;
}

function Line({ domain: { name, url, redirect, note }, app, onRemove }: LineProps) {
  const state = redirect === undefined ? [note ?? 'leads here'] : [`redirects to ${redirect}`, note ?? []].flat();
  return (
    <div class="grid line">
      <span class="name">
        <External url={safeUrl(url)}>{name}</External>
      </span>
      <span class={note ? 'wait' : 'good'}>{state.join('. ')}</span>
      <span class="buttons">
        <Drop
          what={name}
          verb="Remove"
          effect={`${app} does not answer there any more, and another application can take it.`}
          work={onRemove}
        />
      </span>
    </div>
  );
}

interface NewDomainProps {
  /** The domains to which another one may redirect. */
  readonly targets: readonly string[];
  readonly onAdd: (name: string, redirect: string | undefined) => Promise<void>;
}

function NewDomain({ targets, onAdd }: NewDomainProps) {
  const form = useForm((fields) =>
    onAdd(String(fields.get('domain')).trim(), String(fields.get('redirect') ?? '') || undefined),
  );
  return (
    <LineForm form={form} verb="Add">
      <Input name="domain" aria-label="Domain" placeholder="shop.example.com" required />
      {targets.length === 0 ? (
        <span />
      ) : (
        <select name="redirect" aria-label="What it does">
          <option value="">is served</option>
          {targets.map((target) => (
            <option key={target} value={target}>{`redirects to ${target}`}</option>
          ))}
        </select>
      )}
    </LineForm>
  );
}
